package dev.muster.spring.boot;

import dev.muster.Muster;
import dev.muster.micrometer.MusterMeters;
import dev.muster.spring.internal.MusterFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.List;
import java.util.function.Predicate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The meters of the application's node, in the registries that the application has. */
@AutoConfiguration(
        after = MusterAutoConfiguration.class,
        afterName = {
            // The one of Spring Boot 3, and that of 4.
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, MusterMeters.class})
@ConditionalOnBean({MusterFactory.class, MeterRegistry.class})
public class MusterMetricsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MusterMeters musterMeters() {
        return new MusterMeters();
    }

    /**
     * All beans exist then, with the filters of the registries, and the node has not started. A child context uses the Muster of its parent,
     * whose meters are bound already.
     */
    @Bean
    @ConditionalOnMissingBean(name = "musterMetersInRegistries")
    SmartInitializingSingleton musterMetersInRegistries(
            MusterMeters meters, ObjectProvider<MeterRegistry> registries, ObjectProvider<Muster> muster) {
        return () -> {
            bind(meters, registries.stream().toList());
            meters.observe(muster.getObject());
        };
    }

    /** Actuator does the same with its own meters: a composite passes everything on to the others. Binding twice changes nothing. */
    private static void bind(MusterMeters meters, List<MeterRegistry> registries) {
        Predicate<MeterRegistry> composite = CompositeMeterRegistry.class::isInstance;
        boolean none = registries.stream().noneMatch(composite);
        registries.stream().filter(registry -> none || composite.test(registry)).forEach(meters::bindTo);
    }
}
