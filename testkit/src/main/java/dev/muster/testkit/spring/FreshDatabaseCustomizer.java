package dev.muster.testkit.spring;

import dev.muster.testkit.TestDatabase;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Points the application's {@code DataSource} to a fresh database, which is dropped with the context. Tests that share a context share it.
 *
 * @param settings further properties; contexts with different ones are different
 */
record FreshDatabaseCustomizer(Map<String, String> settings) implements ContextCustomizer {

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        TestDatabase database = TestDatabase.emptyFromEnv();
        Map<String, Object> properties = new HashMap<>(settings);
        properties.put("spring.datasource.url", database.url());
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("@MusterTest", properties));
        context.getBeanFactory().registerSingleton("musterTestDatabase", database);
        // Registered first, so it is destroyed last: the application still needs its database while it stops.
        ((DefaultSingletonBeanRegistry) context.getBeanFactory())
                .registerDisposableBean("musterTestDatabase", database::close);
    }
}
