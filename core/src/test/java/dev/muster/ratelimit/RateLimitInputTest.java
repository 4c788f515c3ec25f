package dev.muster.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.ratelimit.BackendRateLimits;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is refused says what is wrong and what is allowed. */
class RateLimitInputTest {
    private static final RateLimits LIMITS =
            new BackendRateLimits((key, limit, permits) -> Decision.allow(limit.permits() - permits));

    @Test
    void aLimitHasPermitsAndAWindow() {
        for (int permits : new int[] {0, -1, Integer.MIN_VALUE, 1_000_000_001}) {
            assertThatThrownBy(() -> RateLimit.perHour(permits))
                    .isInstanceOf(InvalidRateLimit.class)
                    .hasMessageContaining("1 to 1000000000")
                    .hasMessageContaining("not " + permits);
        }
        for (Duration window : new Duration[] {
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofSeconds(-1),
            Duration.ofDays(366).plusMillis(1),
            Duration.ofSeconds(Long.MAX_VALUE)
        }) {
            assertThatThrownBy(() -> new RateLimit(1, window))
                    .isInstanceOf(InvalidRateLimit.class)
                    .hasMessageContaining("1 ms to 366 days")
                    .hasMessageContaining(window.toString());
        }
        assertThatThrownBy(() -> new RateLimit(1, Duration.ofNanos(1_500_000)))
                .isInstanceOf(InvalidRateLimit.class)
                .hasMessageContaining("whole milliseconds");
        assertThat(new RateLimit(1_000_000_000, Duration.ofDays(366))).isNotNull();
        assertThat(new RateLimit(1, Duration.ofMillis(1))).isNotNull();
    }

    @Test
    void aKeyHasANameAndSomebodyItIsAbout() {
        assertThatThrownBy(() -> RateKey.global(""))
                .isInstanceOf(InvalidRateLimit.class)
                .hasMessageContaining("name of a rate limit")
                .hasMessageContaining("a-z");
        assertThatThrownBy(() -> RateKey.user("a/b", "ada")).hasMessageContaining("'a/b'");
        assertThatThrownBy(() -> RateKey.user("login", ""))
                .isInstanceOf(InvalidRateLimit.class)
                .hasMessageContaining("the user of the rate limit 'login' is empty")
                .hasMessageContaining("1 to 200");
        assertThatThrownBy(() -> RateKey.ip("login", "1".repeat(201)))
                .isInstanceOf(InvalidRateLimit.class)
                .hasMessageContaining("has 201 characters")
                .hasMessageContaining("hash");
        assertThatThrownBy(() -> RateKey.tenant("login", "a\0b"))
                .isInstanceOf(InvalidRateLimit.class)
                .hasMessageContaining("character 0");
        assertThatThrownBy(() -> RateKey.tenant("login", "a\ud800b"))
                .isInstanceOf(InvalidRateLimit.class)
                .hasMessageContaining("half a surrogate pair");
        assertThatThrownBy(() -> new RateKey(RateKey.Kind.GLOBAL, "sms", "ada"))
                .isInstanceOf(InvalidRateLimit.class)
                .hasMessageContaining("must be empty");
        assertThat(RateKey.user("login", "1".repeat(200)).toString()).startsWith("user/login/1");
    }

    @Test
    void noTwoKeysHaveTheSameText() {
        assertThat(RateKey.user("a", "b/c").toString())
                .isNotEqualTo(RateKey.user("a:b", "c").toString());
        assertThat(RateKey.user("a", "b").toString())
                .isNotEqualTo(RateKey.ip("a", "b").toString());
        assertThat(RateKey.global("a").toString()).isEqualTo("global/a");
    }

    @Test
    void aCallTakesAtLeastOnePermitAndAtMostAllOfAWindow() {
        RateKey key = RateKey.tenant("api", "acme");
        for (int permits : new int[] {0, -5, 11, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> LIMITS.tryAcquire(key, RateLimit.perHour(10), permits))
                    .isInstanceOf(InvalidRateLimit.class)
                    .hasMessageContaining("tenant/api/acme")
                    .hasMessageContaining("1 to 10")
                    .hasMessageContaining("not " + permits);
        }
        assertThat(LIMITS.tryAcquire(key, RateLimit.perHour(10), 10)).isEqualTo(Decision.allow(0));
        assertThat(LIMITS.tryAcquire(key, RateLimit.perHour(10))).isEqualTo(Decision.allow(9));
    }
}
