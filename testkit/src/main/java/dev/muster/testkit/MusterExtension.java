package dev.muster.testkit;

import dev.muster.testkit.spring.SpringContext;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** The JUnit extension of {@link MusterTest}. It uses only what both JUnit 5.10 and JUnit 6 have. */
final class MusterExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(MusterExtension.class);

    private static final boolean SPRING = isPresent("org.springframework.test.context.junit.jupiter.SpringExtension");

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, MusterExtension.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** With a Spring context, the application's own node runs the jobs, on the context's own database. */
    private static boolean hasSpringContext(ExtensionContext context) {
        return SPRING && SpringContext.isOf(context.getRequiredTestClass());
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (hasSpringContext(context)) {
            return;
        }
        MusterTest annotation = annotation(context);
        Fixture fixture = new Fixture(settings(annotation));
        context.getStore(NAMESPACE).put(Fixture.class, fixture);
        for (Class<?> handlers : annotation.handlers()) {
            fixture.register(handlers);
        }
        context.getRequiredTestInstances().getAllInstances().forEach(fixture::registerIfHandler);
    }

    private static MusterTest annotation(ExtensionContext context) {
        for (Class<?> type = context.getRequiredTestClass(); type != null; type = type.getEnclosingClass()) {
            Optional<MusterTest> found = AnnotationSupport.findAnnotation(type, MusterTest.class);
            if (found.isPresent()) {
                return found.get();
            }
        }
        throw new IllegalStateException(
                context.getRequiredTestClass().getName() + " has no @MusterTest, nor has a class around it");
    }

    private static Map<String, String> settings(MusterTest annotation) {
        Map<String, String> settings = new HashMap<>();
        for (String setting : annotation.settings()) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "@MusterTest(settings): '" + setting + "' is not key=value, such as worker.lease=2s");
            }
            settings.put(
                    setting.substring(0, equals).strip(),
                    setting.substring(equals + 1).strip());
        }
        return settings;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Fixture fixture = context.getStore(NAMESPACE).remove(Fixture.class, Fixture.class);
        if (fixture != null) {
            fixture.end();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        if (hasSpringContext(context)) {
            Class<?> type = parameter.getParameter().getType();
            return type.getName().startsWith("dev.muster.")
                    && !SpringContext.autowires(parameter)
                    && (type == FakeClock.class || type == Cluster.class || SpringContext.has(context, type));
        }
        Fixture fixture = context.getStore(NAMESPACE).get(Fixture.class, Fixture.class);
        return fixture != null && fixture.offers(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (hasSpringContext(context)) {
            return inSpring(parameter.getParameter().getType(), context);
        }
        return context.getStore(NAMESPACE)
                .get(Fixture.class, Fixture.class)
                .offer(parameter.getParameter().getType());
    }

    private static Object inSpring(Class<?> type, ExtensionContext context) {
        if (type == Cluster.class) {
            throw new ParameterResolutionException(
                    "a test with a Spring context has no Cluster: the application's own node runs the jobs. Take Jobs, Workflows, Muster,"
                            + " FakeClock or TestDatabase, and wait with jobs.await(…)");
        }
        Object bean = SpringContext.bean(context, type);
        if (bean instanceof FakeClock clock) {
            try {
                clock.requireMovable();
            } catch (IllegalStateException e) {
                throw new ParameterResolutionException(e.getMessage(), e);
            }
        }
        return bean;
    }
}
