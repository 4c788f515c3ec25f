package dev.muster.testkit.spring;

import dev.muster.Muster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.TestDatabase;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Points the application's {@code DataSource}, or Muster's own pool, to a fresh database, which is dropped with the context, and gives
 * Muster a clock that the tests can move. Tests that share a context share both. Otherwise the node of a test would run the jobs of the database that the application's properties name.
 *
 * @param settings further properties; contexts with different ones are different
 */
record FreshDatabaseCustomizer(Map<String, String> settings) implements ContextCustomizer {

    private static final String DATA_SOURCE = "muster.data-source";
    private static final String OWN_DATABASE = "muster.database.url";

    /** @throws IllegalStateException if Muster uses a DataSource of which this does not know where it leads */
    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        ConfigurableEnvironment environment = context.getEnvironment();
        String named = environment.getProperty(DATA_SOURCE);
        if (named != null && !settings.containsKey(DATA_SOURCE)) {
            throw new IllegalStateException("@MusterTest sets spring.datasource.url, but " + DATA_SOURCE + " = " + named
                    + " is another DataSource, perhaps one of a database in use: make sure that it leads to a database for tests, and"
                    + " say so by @MusterTest(settings = \"data-source=" + named + "\")");
        }
        TestDatabase database = TestDatabase.emptyFromEnv();
        Map<String, Object> properties = new HashMap<>(settings);
        properties.put("spring.datasource.url", database.url());
        if (environment.containsProperty(OWN_DATABASE)) {
            properties.putIfAbsent(OWN_DATABASE, database.url());
        }
        environment.getPropertySources().addFirst(new MapPropertySource("@MusterTest", properties));
        context.getBeanFactory().registerSingleton("musterTestDatabase", database);
        // Registered first, so it is destroyed last: the application still needs its database while it stops.
        ((DefaultSingletonBeanRegistry) context.getBeanFactory())
                .registerDisposableBean("musterTestDatabase", database::close);
        registerClock(context.getBeanFactory(), database);
    }

    /** Muster's starter builds the node with the bean of type {@code Clock}; this one comes before any of the application. */
    private static void registerClock(ConfigurableListableBeanFactory beans, TestDatabase database) {
        FakeClock clock = database.clockOf(() -> only(beans.getBeanProvider(Muster.class)));
        RootBeanDefinition definition = new RootBeanDefinition(FakeClock.class, () -> clock);
        definition.setPrimary(true);
        ((BeanDefinitionRegistry) beans).registerBeanDefinition("musterTestClock", definition);
    }

    private static Muster only(ObjectProvider<Muster> musters) {
        Muster only = musters.getIfUnique();
        if (only == null) {
            throw new IllegalStateException("time cannot be moved: the application has "
                    + (musters.stream().findAny().isEmpty()
                            ? "no Muster; is muster.enabled=false?"
                            : "several Musters, and none is primary"));
        }
        return only;
    }
}
