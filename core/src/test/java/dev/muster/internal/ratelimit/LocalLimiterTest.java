package dev.muster.internal.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a node counts in its own memory. */
class LocalLimiterTest {
    private static final RateLimit THREE = RateLimit.perMinute(3);

    /** Near the end of its range, where a clock that counts nanoseconds from an arbitrary moment may be. */
    private final AtomicLong nanos =
            new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(90).toNanos());

    private final LocalLimiter limiter = new LocalLimiter(nanos::get, 6_400);

    private static RateKey user(String name) {
        return RateKey.user("login", name);
    }

    private void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    @Test
    void aWindowBeginsWithTheFirstCall() {
        for (int window = 0; window < 3; window++) {
            assertThat(limiter.tryAcquire(user("ada"), THREE, 1)).isEqualTo(Decision.allow(2));
            advance(Duration.ofSeconds(20));
            assertThat(limiter.tryAcquire(user("ada"), THREE, 2)).isEqualTo(Decision.allow(0));
            assertThat(limiter.tryAcquire(user("ada"), THREE, 1)).isEqualTo(Decision.refuse(0, Duration.ofSeconds(40)));
            assertThat(limiter.tryAcquire(user("bob"), THREE, 1).allowed()).isTrue();
            advance(Duration.ofSeconds(40).minusNanos(1));
            assertThat(limiter.tryAcquire(user("ada"), THREE, 1)).isEqualTo(Decision.refuse(0, Duration.ofNanos(1)));
            advance(Duration.ofSeconds(30));
        }
    }

    @Test
    void allOrNone() {
        assertThat(limiter.tryAcquire(user("ada"), THREE, 2)).isEqualTo(Decision.allow(1));
        assertThat(limiter.tryAcquire(user("ada"), THREE, 2)).isEqualTo(Decision.refuse(1, Duration.ofMinutes(1)));
        assertThat(limiter.tryAcquire(user("ada"), THREE, 1)).isEqualTo(Decision.allow(0));
    }

    @Test
    void ofManyWhoAskAtOnceExactlyTheLimitIsServed() throws Exception {
        RateLimit limit = RateLimit.perMinute(500);
        List<Callable<Boolean>> calls = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            calls.add(() -> limiter.tryAcquire(user("ada"), limit, 1).allowed());
        }
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            int allowed = 0;
            for (Future<Boolean> call : threads.invokeAll(calls)) {
                allowed += call.get() ? 1 : 0;
            }
            assertThat(allowed).isEqualTo(500);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Addresses can be made up, and there are many. */
    @Test
    void aFloodOfKeysIsForgottenAndThoseInUseAreNot() {
        RecentKeys<AtomicLong> keys = new RecentKeys<>(6_400, key -> new AtomicLong());
        AtomicLong used = keys.get(new RateLimitedKey(user("ada"), THREE));
        for (int i = 0; i < 100_000; i++) {
            keys.get(new RateLimitedKey(user("made-up-" + i), THREE));
            if (i % 50 == 0) {
                assertThat(keys.get(new RateLimitedKey(user("ada"), THREE))).isSameAs(used);
            }
        }
        assertThat(keys.size()).isBetween(6_000, 6_400);
    }
}
