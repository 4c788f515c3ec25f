package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobRateTest {
    @Test
    void isReadAsItIsWritten() {
        assertThat(JobRate.parse("100/1m")).isEqualTo(new JobRate(100, Duration.ofMinutes(1), 1));
        assertThat(JobRate.parse("5/s")).isEqualTo(new JobRate(5, Duration.ofSeconds(1), 1));
        assertThat(JobRate.parse("100/s")).isEqualTo(new JobRate(100, Duration.ofSeconds(1), 10));
        assertThat(JobRate.parse("1000/1h")).hasToString("1000/1h");
    }

    @Test
    void whatIsNoRateIsRefused() {
        for (String text :
                List.of("", "/", "10", "10/", "10/x", "x/1m", "10/1ns", "99999999999/s", "1/99999999999999d")) {
            assertThatThrownBy(() -> JobRate.parse(text))
                    .isInstanceOf(InvalidJobLimit.class)
                    .hasMessageContaining("'" + text + "'")
                    .hasMessageContaining("100/1m");
        }
    }

    @Test
    void theTimeHasBounds() {
        for (Duration time : List.of(
                Duration.ZERO,
                Duration.ofSeconds(-1),
                Duration.ofNanos(1_500_000),
                Duration.ofDays(367),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> new JobRate(5, time))
                    .isInstanceOf(InvalidJobLimit.class)
                    .hasMessageContaining("1 ms to 366 days")
                    .hasMessageContaining(time.toString());
        }
    }
}
