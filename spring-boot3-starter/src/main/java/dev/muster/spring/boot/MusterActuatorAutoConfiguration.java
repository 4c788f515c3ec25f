package dev.muster.spring.boot;

import dev.muster.Muster;
import dev.muster.spring.internal.MusterLifecycle;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.health.HealthEndpointGroupsPostProcessor;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Actuator shows of the application's node: its health, as part of readiness, and the endpoint {@code muster}. */
// The readiness group has to be there before Muster can become part of it.
@AutoConfiguration(
        after = MusterAutoConfiguration.class,
        afterName = "org.springframework.boot.actuate.autoconfigure.availability.AvailabilityProbesAutoConfiguration")
@ConditionalOnBean(Muster.class)
public class MusterActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator(ReadinessWithMuster.INDICATOR)
    static class NodeHealth {
        @Bean
        @ConditionalOnMissingBean(name = "musterHealthIndicator")
        HealthIndicator musterHealthIndicator(Muster muster, ObjectProvider<MusterLifecycle> lifecycle) {
            return new MusterHealthIndicator(muster, lifecycle);
        }

        @Bean
        @ConditionalOnClass(HealthEndpointGroupsPostProcessor.class)
        static ReadinessWithMuster readinessWithMuster() {
            return new ReadinessWithMuster();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnAvailableEndpoint(endpoint = MusterEndpoint.class)
    static class ClusterEndpoint {
        @Bean
        @ConditionalOnMissingBean
        MusterEndpoint musterEndpoint(Muster muster) {
            return new MusterEndpoint(muster);
        }
    }
}
