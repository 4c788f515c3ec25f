package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
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
}
