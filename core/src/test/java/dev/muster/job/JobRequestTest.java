package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class JobRequestTest {
    private static final Instant NOON = Instant.parse("2030-01-31T12:00:00Z");

    @Test
    void hasOneDueTime() {
        JobRequest delayed = JobRequest.of("mail").delay(Duration.ofMinutes(5));
        JobRequest timed = JobRequest.of("mail").at(NOON);

        assertThatThrownBy(() -> delayed.at(NOON))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("'mail' has a delay of PT5M");
        assertThatThrownBy(() -> timed.delay(Duration.ZERO))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("'mail' has a due time (at) of 2030-01-31T12:00:00Z");
        assertThat(delayed.delay(Duration.ofMinutes(6)).delay()).contains(Duration.ofMinutes(6));
        assertThat(timed.at(Instant.MIN).at()).contains(Instant.EPOCH);
    }

    @Test
    void hasOneExpiry() {
        assertThatThrownBy(() -> JobRequest.of("mail").expiresAt(NOON).expiresIn(Duration.ofMinutes(5)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("expiresAt");
        assertThatThrownBy(() ->
                        JobRequest.of("mail").expiresIn(Duration.ofMinutes(5)).expiresAt(NOON))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("expiresIn");
    }

    @Test
    void refusesTimesThatNoCalendarHas() {
        Duration forEver = ChronoUnit.FOREVER.getDuration();

        assertThatThrownBy(() -> JobRequest.of("mail").timeout(forEver))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("timeout of job 'mail' must be 1 ms to 365 days");
        assertThatThrownBy(() -> JobRequest.of("mail").expiresAt(Instant.MAX))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("expiry of job 'mail' must be before the year 10000");
        assertThat(JobRequest.of("mail").expiresAt(Instant.MIN).expiresAt()).contains(Instant.EPOCH);
    }

    @Test
    void aPolicyThatWaitsForeverWaitsForAYear() {
        BackoffPolicy policy =
                RetryPolicy.fixed(2, ChronoUnit.FOREVER.getDuration()).withJitter(0);

        assertThat(policy.backoffAfter(1, new Random(1))).isEqualTo(Duration.ofDays(365));
    }

    @Test
    void aTraceIsAW3cTraceparent() {
        String valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assertThat(JobRequest.of("mail").trace(valid).priority(Priority.HIGH).trace())
                .contains(valid);
        for (String trace : List.of(
                "",
                "00",
                valid + "-00",
                valid.toUpperCase(Locale.ROOT),
                valid.replace("00-0a", "ff-0a"),
                "00-" + "0".repeat(32) + "-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-" + "0".repeat(16) + "-01")) {
            assertThatThrownBy(() -> JobRequest.of("mail").trace(trace))
                    .isInstanceOf(InvalidJob.class)
                    .hasMessageContaining("'mail'")
                    .hasMessageContaining("W3C traceparent");
        }
    }

    /** The driver would write a question mark for half a surrogate pair, so that different keys were one. */
    @Test
    void keysCanBeStored() {
        for (String key : List.of("", " ", "a".repeat(256), "a\0b", "a\ud800b", "a\udc00b", "a\ud800")) {
            for (UnaryOperator<String> given : List.<UnaryOperator<String>>of(
                    k -> JobRequest.of("mail").key(k).name(),
                    k -> JobRequest.of("mail").fifo(k).name(),
                    k -> JobRequest.of("mail").fairKey(k).name(),
                    k -> JobRequest.of("mail").concurrencyKey(k).name())) {
                assertThatThrownBy(() -> given.apply(key))
                        .isInstanceOf(InvalidJob.class)
                        .hasMessageContaining("'mail'")
                        .hasMessageContaining("1 to 255")
                        .hasMessageContaining("half a surrogate pair");
            }
        }
        assertThat(JobRequest.of("mail").fifo("\ud83d\ude00".repeat(127)).fifo())
                .isPresent();
    }

    @Test
    void metadataOfMusterIsRefused() {
        for (String name : List.of("muster.", "muster.batch", "muster.tick", "muster.tenant")) {
            assertThatThrownBy(() -> JobRequest.of("a").metadata(name, "x"))
                    .isInstanceOf(InvalidJob.class)
                    .hasMessage("metadata '" + name
                            + "' of job 'a' is not allowed: names that begin with 'muster.' are Muster's own");
        }
        assertThat(JobRequest.of("a")
                        .metadata("muster", "x")
                        .metadata("my.muster.batch", "y")
                        .metadata())
                .hasSize(2);
    }

    @Test
    void whoAsksStaysWithEveryCopy() {
        Requester acme = new Requester(Optional.of("acme"), NamePatterns.of("a"));
        JobRequest request = JobRequest.of("a").requestedBy(acme).queue("q").metadata("k", "v");

        assertThat(request.requester()).contains(acme);
        assertThat(request.metadata()).containsEntry(Requester.TENANT, "acme").containsEntry("k", "v");
        Requester anybody = new Requester(Optional.empty(), NamePatterns.ALL);
        assertThat(JobRequest.of("a").requestedBy(anybody).metadata()).isEmpty();
    }
}
