package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.maintenance.MaintenanceStore.Stretch;
import dev.muster.internal.ratelimit.RateLimitStore;
import dev.muster.internal.ratelimit.RateLimitStore.Ask;
import dev.muster.internal.ratelimit.RateLimitStore.Taken;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** No window of a key gives out more permits than its limit, whoever asks. Windows go by the database's clock. */
abstract class RateLimitStoreContract extends PortContract {
    private static final RateKey KEY = RateKey.global("sms");

    /** Longer than a test takes; {@link #awayFromTheEdge} sees to it that none ends during one. */
    private static final Duration WINDOW = Duration.ofHours(1);

    private static final RateLimit TEN = new RateLimit(10, WINDOW);

    private RateLimitStore limits() {
        return store().port(RateLimitStore.class);
    }

    private Taken take(RateLimit limit, int need, int want) {
        return take(limits(), limit, need, want);
    }

    private static Taken take(RateLimitStore limits, RateLimit limit, int need, int want) {
        return limits.take(new Ask(KEY, limit, need, want));
    }

    private Stretch forget() {
        return store().leaders()
                .<Stretch>unfenced(
                        tx -> store().port(MaintenanceStore.class).forgetRateLimits(tx, Duration.ofHours(1), 0));
    }

    /** Puts the clock to the beginning of a window. */
    private void awayFromTheEdge(Duration window) {
        Taken taken = limits().take(new Ask(RateKey.global("edge"), new RateLimit(1, window), 0, 0));
        advance(taken.left().plusMillis(1));
    }

    @Test
    void permitsAreTakenUntilTheWindowHasNoneLeft() {
        awayFromTheEdge(WINDOW);

        assertThat(take(TEN, 1, 1)).satisfies(taken -> {
            assertThat(taken.granted()).isEqualTo(1);
            assertThat(taken.remaining()).isEqualTo(9);
            assertThat(taken.left()).isPositive().isLessThanOrEqualTo(WINDOW);
            assertThat(taken.window().toEpochMilli() % WINDOW.toMillis()).isZero();
        });
        assertThat(take(TEN, 7, 7).remaining()).isEqualTo(2);
        assertThat(take(TEN, 3, 3)).satisfies(taken -> {
            assertThat(taken.granted()).as("all or none").isZero();
            assertThat(taken.remaining()).isEqualTo(2);
        });
        assertThat(take(TEN, 2, 2).granted()).isEqualTo(2);
        assertThat(take(TEN, 1, 1).granted()).isZero();
    }

    @Test
    void whoWantsMoreThanItNeedsGetsWhatIsLeft() {
        awayFromTheEdge(WINDOW);

        assertThat(take(TEN, 1, 6).granted()).isEqualTo(6);
        assertThat(take(TEN, 1, 6)).satisfies(taken -> {
            assertThat(taken.granted()).isEqualTo(4);
            assertThat(taken.remaining()).isZero();
        });
    }

    @Test
    void whoOnlyLooksTakesNothing() {
        awayFromTheEdge(WINDOW);

        assertThat(take(TEN, 0, 0).remaining()).isEqualTo(10);
        Taken taken = take(TEN, 4, 4);

        assertThat(take(TEN, 0, 0)).satisfies(look -> {
            assertThat(look.granted()).isZero();
            assertThat(look.remaining()).isEqualTo(6);
            assertThat(look.window()).isEqualTo(taken.window());
        });
    }

    @Test
    void theNextWindowHasAllPermitsAgain() {
        awayFromTheEdge(WINDOW);
        Instant first = take(TEN, 10, 10).window();
        assertThat(take(TEN, 1, 1).granted()).isZero();
        advance(WINDOW.minus(Duration.ofMinutes(1)));
        Taken late = take(TEN, 1, 1);
        assertThat(late.granted()).isZero();

        advance(late.left().plusMillis(1));

        assertThat(take(TEN, 10, 10)).satisfies(taken -> {
            assertThat(taken.granted()).isEqualTo(10);
            assertThat(taken.window()).isEqualTo(first.plus(WINDOW));
        });
        assertThat(take(TEN, 1, 1).granted()).isZero();
    }

    /** As after a failover to a server whose clock is behind. */
    @Test
    void aClockThatStepsBackGivesNoWindowOutTwice() {
        awayFromTheEdge(WINDOW);
        take(TEN, 10, 10);
        advance(WINDOW);
        Instant second = take(TEN, 10, 10).window();

        advance(Duration.ofMinutes(-50));

        assertThat(take(TEN, 1, 1)).satisfies(taken -> {
            assertThat(taken.granted()).isZero();
            assertThat(taken.window()).isEqualTo(second);
            assertThat(taken.left()).isGreaterThan(WINDOW);
        });
    }

    @Test
    void aClockThatStepsBackByDaysDoesNotLockAKey() {
        awayFromTheEdge(WINDOW);
        take(TEN, 10, 10);

        advance(Duration.ofDays(-2));

        assertThat(take(TEN, 10, 10).granted()).isEqualTo(10);
        assertThat(take(TEN, 1, 1).granted()).isZero();
    }

    @Test
    void keysAndLengthsOfWindowsAreCountedApart() {
        awayFromTheEdge(Duration.ofDays(1));
        take(TEN, 10, 10);

        assertThat(take(new RateLimit(10, Duration.ofDays(1)), 10, 10).granted())
                .isEqualTo(10);
        for (RateKey other : List.of(
                RateKey.global("sms2"),
                RateKey.user("sms", "x"),
                RateKey.ip("sms", "x"),
                RateKey.tenant("sms", "x"),
                RateKey.tenant("sms", "X"),
                RateKey.tenant("sms", "x "),
                RateKey.tenant("sms", "é€😀'\"\\{}"))) {
            assertThat(limits().take(new Ask(other, TEN, 10, 10)).granted())
                    .as(other.toString())
                    .isEqualTo(10);
        }
        assertThat(take(TEN, 1, 1).granted()).isZero();
    }

    /** While one is being changed, nodes have both. */
    @Test
    void twoLimitsOfAKeyCountTogether() {
        awayFromTheEdge(WINDOW);
        RateLimit twenty = new RateLimit(20, WINDOW);

        assertThat(take(twenty, 12, 12).granted()).isEqualTo(12);
        assertThat(take(TEN, 1, 1)).satisfies(taken -> {
            assertThat(taken.granted()).isZero();
            assertThat(taken.remaining()).isZero();
        });
        assertThat(take(twenty, 8, 8).granted()).isEqualTo(8);
    }

    @Test
    void ofManyWhoAskAtOnceExactlyTheLimitIsServed() throws Exception {
        awayFromTheEdge(WINDOW);
        RateLimit limit = new RateLimit(100, WINDOW);
        List<RateLimitStore> nodes = List.of(limits(), anotherNode().port(RateLimitStore.class));
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            RateLimitStore node = nodes.get(i % 2);
            int permits = 1 + i % 3;
            calls.add(() -> take(node, limit, permits, permits).granted());
        }

        // Those that ask for one permit see to it that the last one is taken.
        assertThat(sum(calls)).isEqualTo(100);
        assertThat(take(limit, 0, 0).remaining()).isZero();
    }

    @Test
    void manyKeysAtOnceAreCountedEachByItself() throws Exception {
        awayFromTheEdge(WINDOW);
        List<RateLimitStore> nodes = List.of(limits(), anotherNode().port(RateLimitStore.class));
        List<Callable<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            RateLimitStore node = nodes.get(i % 2);
            RateKey key = RateKey.user("login", "u" + i * 7 % 50);
            calls.add(() -> node.take(new Ask(key, TEN, 1, 1)).granted());
        }

        assertThat(sum(calls)).isEqualTo(50 * 10);
    }

    @Test
    void countsAreForgottenAnHourAfterTheirWindow() {
        awayFromTheEdge(WINDOW);
        take(TEN, 10, 10);
        take(new RateLimit(10, Duration.ofDays(30)), 1, 1);
        advance(Duration.ofMinutes(119));
        assertThat(forget()).isEqualTo(new Stretch(0, 0));

        advance(Duration.ofMinutes(2));
        assertThat(forget().forgotten()).isBetween(1, 2);
        assertThat(forget()).isEqualTo(new Stretch(0, 0));
        assertThat(take(TEN, 10, 10).granted()).isEqualTo(10);
    }

    /** Whoever counts while the row is removed finds it again, or makes a new one. */
    @Test
    void aCountThatIsForgottenMeanwhileIsNotLost() throws Exception {
        awayFromTheEdge(WINDOW);
        for (int round = 0; round < 20; round++) {
            advance(Duration.ofHours(3));
            List<Callable<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < 5 * 15; i++) {
                RateKey key = RateKey.user("login", "u" + i % 5);
                calls.add(() -> limits().take(new Ask(key, TEN, 1, 1)).granted());
            }
            calls.add(round % 2 * 40, () -> forget().forgotten() * 0);
            assertThat(sum(calls)).isEqualTo(5 * 10);
        }
    }

    private static int sum(List<Callable<Integer>> calls) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            return threads.invokeAll(calls).stream()
                    .mapToInt(RateLimitStoreContract::value)
                    .sum();
        } finally {
            threads.shutdownNow();
        }
    }

    private static int value(Future<Integer> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }
}
