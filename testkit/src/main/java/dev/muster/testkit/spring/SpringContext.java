package dev.muster.testkit.spring;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.ParameterResolutionDelegate;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** The Spring context of a test. */
public final class SpringContext {
    private SpringContext() {}

    /** Whether the test class, or one around it, has a Spring context. */
    public static boolean isOf(Class<?> testClass) {
        for (Class<?> type = testClass; type != null; type = type.getEnclosingClass()) {
            for (ExtendWith extension : AnnotationSupport.findRepeatableAnnotations(type, ExtendWith.class)) {
                for (Class<?> extending : extension.value()) {
                    if (extending == SpringExtension.class) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Whether Spring itself supplies this parameter, so that nobody else may. */
    public static boolean autowires(ParameterContext parameter) {
        return ParameterResolutionDelegate.isAutowirable(parameter.getParameter(), parameter.getIndex())
                || parameter.getDeclaringExecutable().isAnnotationPresent(Autowired.class);
    }

    /** Whether the context has one bean of this type. */
    public static boolean has(ExtensionContext test, Class<?> type) {
        ObjectProvider<?> beans = SpringExtension.getApplicationContext(test).getBeanProvider(type);
        return beans.stream().limit(2).count() == 1;
    }

    public static Object bean(ExtensionContext test, Class<?> type) {
        return SpringExtension.getApplicationContext(test).getBean(type);
    }
}
