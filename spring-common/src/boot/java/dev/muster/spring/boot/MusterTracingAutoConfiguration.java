package dev.muster.spring.boot;

import dev.muster.opentelemetry.OpenTelemetryTracing;
import dev.muster.spring.internal.MusterFactory;
import dev.muster.telemetry.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Jobs carry the trace of whoever enqueues them, and have spans, if the application has OpenTelemetry. */
@AutoConfiguration(
        after = MusterAutoConfiguration.class,
        afterName = {
            // The one of Spring Boot 3, and that of 4.
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
            // OpenTelemetry's own starter.
            "io.opentelemetry.instrumentation.spring.autoconfigure.OpenTelemetryAutoConfiguration"
        })
@ConditionalOnClass({OpenTelemetry.class, OpenTelemetryTracing.class})
@ConditionalOnProperty(prefix = "muster.tracing", name = "enabled", matchIfMissing = true)
@ConditionalOnBean(MusterFactory.class)
@ConditionalOnSingleCandidate(OpenTelemetry.class)
public class MusterTracingAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Tracing musterTracing(OpenTelemetry openTelemetry) {
        return new OpenTelemetryTracing(openTelemetry);
    }
}
