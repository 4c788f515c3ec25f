package dev.muster.testkit.spring;

import dev.muster.testkit.MusterTest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Gives the contexts of tests with {@link MusterTest} a database. Spring finds it in {@code spring.factories}. */
final class FreshDatabaseCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        MusterTest annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass, MusterTest.class);
        if (annotation == null) {
            return null;
        }
        if (annotation.handlers().length > 0) {
            throw new IllegalStateException("@MusterTest(handlers) on " + testClass.getName()
                    + ": in a Spring context the handlers are its beans; leave handlers out");
        }
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : annotation.settings()) {
            int equals = setting.indexOf('=');
            settings.put(
                    "muster." + setting.substring(0, Math.max(0, equals)).strip(),
                    setting.substring(equals + 1).strip());
        }
        return new FreshDatabaseCustomizer(settings);
    }
}
