package dev.muster.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The ends of windows, with the test kit's clock, which moves the database's too. */
class RateLimitWindowsIT {
    private static final RateLimit TEN = RateLimit.perHour(10);
    private static final RateKey KEY = RateKey.global("sms");

    private static int allowed(RateLimits limits, int calls) {
        int allowed = 0;
        for (int i = 0; i < calls; i++) {
            allowed += limits.tryAcquire(KEY, TEN).allowed() ? 1 : 0;
        }
        return allowed;
    }

    /** Moves on to a few seconds after the beginning of the next hour, so that the test does not meet its end. */
    private static void toNextHour(FakeClock clock, TestDatabase database) {
        clock.advance(Duration.ofSeconds(
                database.number("SELECT 3605 - (date_part('epoch', muster_clock())::bigint % 3600)")));
    }

    private static void eachWindowHasItsOwn(RateLimits limits, FakeClock clock, TestDatabase database) {
        for (int window = 0; window < 3; window++) {
            toNextHour(clock, database);
            assertThat(allowed(limits, 4)).isEqualTo(4);
            clock.advance(Duration.ofMinutes(55));
            assertThat(allowed(limits, 20)).isEqualTo(6);
        }
        Duration wait = limits.tryAcquire(KEY, TEN).retryAfter();
        assertThat(wait).isLessThan(Duration.ofMinutes(6));
        clock.advance(wait);
        assertThat(limits.tryAcquire(KEY, TEN).allowed()).isTrue();
    }

    @Nested
    @MusterTest(settings = "rate_limit.mode=strict")
    class Strict {
        @Test
        void eachWindowHasItsOwnPermits(RateLimits limits, FakeClock clock, TestDatabase database) {
            eachWindowHasItsOwn(limits, clock, database);
        }
    }

    @Nested
    @MusterTest(settings = "rate_limit.mode=reserved")
    class Reserved {
        @Test
        void eachWindowHasItsOwnPermits(RateLimits limits, FakeClock clock, TestDatabase database) {
            eachWindowHasItsOwn(limits, clock, database);
        }

        /** A block of 5, of which one is used in its window. */
        @Test
        void aBlockIsNotUsedInTheNextWindow(RateLimits limits, FakeClock clock, TestDatabase database) {
            RateLimit hundred = RateLimit.perHour(100);
            toNextHour(clock, database);
            limits.tryAcquire(KEY, hundred);
            toNextHour(clock, database);

            assertThat(limits.tryAcquire(KEY, hundred)).isEqualTo(Decision.allow(99));
            assertThat(database.number("SELECT used FROM muster_rate_limits")).isEqualTo(5);
        }
    }
}
