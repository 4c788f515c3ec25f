package dev.muster.internal.job.engine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.MusterConfig;
import dev.muster.job.JobNotAllowed;
import dev.muster.job.JobOptions;
import dev.muster.job.JobRequest;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What callers of a tenant may set beyond what the handler says. */
class TenantOptionsTest {
    private static final JobRequest PLAIN = JobRequest.of("report");
    private static final JobOptions HANDLER =
            new JobOptions("reports", "sandbox", Priority.LOW, 5, 0, Duration.ofMinutes(2));
    private static final Map<String, JobRequest> MORE = Map.of(
            "queue", PLAIN.queue("default"),
            "placement", PLAIN.capability("gpu"),
            "priority", PLAIN.priority(Priority.NORMAL),
            "max_attempts", PLAIN.maxAttempts(6).maxCrashes(0),
            "max_crashes", PLAIN.maxCrashes(1),
            "timeout", PLAIN.timeout(Duration.ofMinutes(3)),
            "concurrency_key", PLAIN.concurrencyKey("k"));

    private static TenantOptions options(String allowed) {
        return new TenantOptions(
                MusterConfig.defaults()
                        .with("tenants.may_set", allowed)
                        .tenants()
                        .maySet(),
                Duration.ofHours(1));
    }

    static Stream<Map.Entry<String, JobRequest>> more() {
        return MORE.entrySet().stream();
    }

    @ParameterizedTest
    @MethodSource("more")
    void moreThanTheHandlerNeedsAnAllowance(Map.Entry<String, JobRequest> more) {
        String others = String.join(
                ",",
                MORE.keySet().stream()
                        .filter(option -> !option.equals(more.getKey()))
                        .toList());

        assertThatThrownBy(() -> options(others).check(more.getValue(), HANDLER))
                .isInstanceOf(JobNotAllowed.class)
                .hasMessageContaining(more.getKey())
                .hasMessageEndingWith("the setting tenants.may_set can allow " + more.getKey());
        assertThatCode(() -> options(more.getKey()).check(more.getValue(), HANDLER))
                .doesNotThrowAnyException();
    }

    @Test
    void asMuchAsTheHandlerOrLessIsAllowed() {
        for (JobRequest request : List.of(
                PLAIN,
                PLAIN.queue("reports"),
                PLAIN.capability("sandbox"),
                PLAIN.require("sandbox"),
                PLAIN.priority(Priority.LOW),
                PLAIN.priority(Priority.BACKGROUND),
                PLAIN.maxAttempts(1),
                PLAIN.maxCrashes(0),
                PLAIN.timeout(Duration.ofMinutes(2)),
                PLAIN.fifo("own"),
                PLAIN.fairKey("own"),
                PLAIN.key("own").delay(Duration.ofDays(1)).expiresIn(Duration.ofDays(2)))) {
            assertThatCode(() -> TenantOptions.strict().check(request, HANDLER)).doesNotThrowAnyException();
        }
    }

    @Test
    void theHandlersPlacementCannotBeRemoved() {
        JobRequest anywhere = PLAIN.options(JobOptions.NONE.capability(""));

        assertThatThrownBy(() -> TenantOptions.strict().check(anywhere, HANDLER))
                .isInstanceOf(JobNotAllowed.class)
                .hasMessageStartingWith("capability, placement: ");
    }

    @Test
    void attemptsBringNoCrashesAlongThatTheHandlerDoesNotAllow() {
        assertThatThrownBy(() -> TenantOptions.strict().check(PLAIN.maxAttempts(2), HANDLER))
                .isInstanceOf(JobNotAllowed.class)
                .hasMessageStartingWith("max_crashes: ");
    }

    @Test
    void aHandlerWithoutATimeoutHasTheUsualOne() {
        JobOptions handler = new JobOptions("reports", "", Priority.LOW, 5, 0, null);

        assertThatCode(() -> options("").check(PLAIN.timeout(Duration.ofHours(1)), handler))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> options("").check(PLAIN.timeout(Duration.ofMinutes(61)), handler))
                .isInstanceOf(JobNotAllowed.class)
                .hasMessageStartingWith("timeout: callers of a tenant may not set this, because these jobs have 1h");
    }

    @Test
    void anAllowanceHasALimit() {
        TenantOptions some = options("queue:mail_*,priority:high,max_attempts:9,max_crashes:9,timeout:10m");

        for (JobRequest within : List.of(
                PLAIN.queue("mail_bulk"),
                PLAIN.priority(Priority.HIGH),
                PLAIN.maxAttempts(9),
                PLAIN.maxCrashes(9),
                PLAIN.timeout(Duration.ofMinutes(10)))) {
            assertThatCode(() -> some.check(within, HANDLER)).doesNotThrowAnyException();
        }
        for (JobRequest beyond : List.of(
                PLAIN.queue("default"),
                PLAIN.priority(Priority.CRITICAL),
                PLAIN.maxAttempts(10),
                PLAIN.maxCrashes(10),
                PLAIN.timeout(Duration.ofMinutes(11)))) {
            assertThatThrownBy(() -> some.check(beyond, HANDLER)).isInstanceOf(JobNotAllowed.class);
        }
    }
}
