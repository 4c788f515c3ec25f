package dev.muster.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobStatus;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A node needs no library for metrics, for traces or for dependency injection. */
class WithoutLibrariesIT extends EngineIT {
    private static final List<String> ABSENT = List.of(
            "io.micrometer.core.instrument.MeterRegistry",
            "io.opentelemetry.api.OpenTelemetry",
            "org.springframework.context.ApplicationContext");

    static final class Mail {
        @Job("mail")
        void mail(JobContext ctx) {}
    }

    @Test
    void aNodeRunsJobsWithoutMicrometerOpenTelemetryAndSpring() throws InterruptedException {
        for (String type : ABSENT) {
            assertThatThrownBy(() -> Class.forName(type))
                    .as("this module must not have it on its class path, or this test shows nothing")
                    .isInstanceOf(ClassNotFoundException.class);
        }
        Muster node = node(new Mail());

        assertThat(ended(node, node.jobs().enqueue("mail", null)).status()).isEqualTo(JobStatus.COMPLETED);
    }
}
