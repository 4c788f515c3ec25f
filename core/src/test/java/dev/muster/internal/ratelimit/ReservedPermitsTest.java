package dev.muster.internal.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.ratelimit.Decision;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A node serves nothing from a block when the window is over by the database's clock, and loses no permit of a window that is on. */
class ReservedPermitsTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final RateLimit LIMIT = new RateLimit(100, Duration.ofSeconds(10));

    private final World world = new World(LIMIT);
    private final ReservedPermits held = world.held();

    /** A database with a right clock, the way to it, and a node whose clock may be wrong. Tests move the time. */
    private static final class World implements RateLimitStore {
        private final RateLimit limit;
        private final long window;
        private final Map<Long, Integer> used = new HashMap<>();
        private final Map<Long, Integer> allowed = new HashMap<>();
        long now;
        long requestTakes;
        long answerTakes;
        boolean away;
        int asks;

        /** By how many millionths the node's clock is faster. */
        long faster;

        /** Called when a node reads its clock for the second time within a call. */
        private Runnable onSecondReading = () -> {};

        private int readings;
        private long decidedIn;

        World(RateLimit limit) {
            this.limit = limit;
            this.window = limit.window().toNanos();
        }

        ReservedPermits held() {
            return new ReservedPermits(this, this::nodeClock, RateKey.global("sms"), limit);
        }

        private long nodeClock() {
            if (++readings == 2) {
                onSecondReading.run();
            }
            return Long.MAX_VALUE - 5 + now + now / 1_000_000 * faster;
        }

        long windowNumber() {
            return now / window;
        }

        void toEndOfWindow(long before) {
            now = (windowNumber() + 1) * window - before;
        }

        Decision call(ReservedPermits held, int permits) {
            int asksBefore = asks;
            readings = 0;
            Decision decision = held.tryAcquire(permits);
            if (decision.allowed()) {
                allowed.merge(asks > asksBefore ? decidedIn : windowNumber(), permits, Integer::sum);
            }
            return decision;
        }

        @Override
        public Taken take(Ask ask) {
            asks++;
            now += requestTakes;
            if (away) {
                throw new DatabaseUnavailable("the database cannot be reached", null);
            }
            decidedIn = windowNumber();
            int before = used.getOrDefault(decidedIn, 0);
            int granted = before + ask.need() <= limit.permits() ? Math.min(ask.want(), limit.permits() - before) : 0;
            used.put(decidedIn, before + granted);
            Taken taken = new Taken(
                    granted,
                    limit.permits() - before - granted,
                    Instant.ofEpochSecond(decidedIn),
                    Duration.ofNanos(window - now % window));
            now += answerTakes;
            return taken;
        }
    }

    @Test
    void aBlockIsATwentiethOfTheWindow() {
        for (int i = 1; i <= 100; i++) {
            assertThat(world.call(held, 1)).isEqualTo(Decision.allow(100 - i));
            assertThat(world.asks).isEqualTo((i + 4) / 5);
        }
    }

    @Test
    void aWindowWithoutPermitsIsNotAskedForAgain() {
        for (int i = 0; i < 100; i++) {
            world.call(held, 1);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(world.call(held, 1).allowed()).isFalse();
        }
        assertThat(world.asks).isEqualTo(20);

        Duration wait = world.call(held, 1).retryAfter();
        assertThat(wait)
                .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(10).plusMillis(20));
        world.now += wait.toNanos();
        assertThat(world.call(held, 1).allowed()).isTrue();
    }

    @Test
    void allPermitsOfACallOrNone() {
        assertThat(world.call(held, 99)).isEqualTo(Decision.allow(1));
        assertThat(world.call(held, 2).allowed()).isFalse();
        assertThat(world.call(held, 1)).isEqualTo(Decision.allow(0));
        assertThat(world.used).containsEntry(0L, 100);
    }

    /** Permits that are held and permits that are asked for make up one call. */
    @Test
    void whatIsHeldCounts() {
        world.call(held, 1);
        assertThat(world.call(held, 99)).isEqualTo(Decision.allow(0));
        assertThat(world.asks).isEqualTo(2);
    }

    @Test
    void whatIsLeftDiesWithTheWindow() {
        world.call(held, 1);
        world.toEndOfWindow(0);

        assertThat(world.call(held, 1)).isEqualTo(Decision.allow(99));
        assertThat(world.used).containsEntry(0L, 5).containsEntry(1L, 5);
    }

    /** Then the node cannot know by itself whether the window is over. */
    @Test
    void shortBeforeTheEndTheNodeAsksAndLosesNothing() {
        world.call(held, 1);
        world.toEndOfWindow(5 * MS);

        assertThat(world.call(held, 1).allowed()).isTrue();
        assertThat(world.asks).isEqualTo(2);
        assertThat(world.used).containsEntry(0L, 5);
        assertThat(world.allowed).containsEntry(0L, 2);
    }

    @Test
    void aSlowAnswerGivesNoTime() {
        world.requestTakes = 20 * MS;
        world.answerTakes = 6_000 * MS;
        world.call(held, 1);
        world.requestTakes = 0;
        world.answerTakes = 0;
        world.now = 10_000 * MS - 1;
        world.call(held, 1);
        world.now = 10_000 * MS + 1;

        assertThat(world.call(held, 1)).isEqualTo(Decision.allow(99));
        assertThat(world.used).containsEntry(0L, 5).containsEntry(1L, 5);
    }

    /** As slow as the system lets it be. After 10.001 s it shows less than 10 s. */
    @Test
    void aNodeWithASlowClockServesNothingAfterTheEnd() {
        world.faster = -500;
        world.call(held, 1);
        world.now = 10_001 * MS;

        assertThat(world.call(held, 1)).isEqualTo(Decision.allow(99));
        assertThat(world.allowed).containsEntry(0L, 1).containsEntry(1L, 1);
    }

    @Test
    void aNodeThatIsFrozenWhileItTakesAPermitFindsThatItsTimeIsOver() {
        world.call(held, 1);
        world.onSecondReading = () -> world.now += 20_000 * MS;

        assertThat(world.call(held, 1)).isEqualTo(Decision.allow(99));
        assertThat(world.used).containsEntry(2L, 5);
        assertThat(world.allowed).containsEntry(2L, 1);
    }

    @Test
    void withoutADatabaseTheBlockIsServedAndNothingElse() {
        world.call(held, 1);
        world.away = true;

        for (int i = 0; i < 4; i++) {
            assertThat(world.call(held, 1).allowed()).isTrue();
        }
        assertThatThrownBy(() -> world.call(held, 1)).isInstanceOf(DatabaseUnavailable.class);
        world.away = false;
        assertThat(world.call(held, 1).allowed()).isTrue();
    }

    @Test
    void noWindowIsServedTwiceWhateverTheClocksAndTheNetworkDo() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            RateLimit limit = new RateLimit(1 + random.nextInt(200), Duration.ofMillis(1 + random.nextInt(3_000)));
            World some = new World(limit);
            some.faster = random.nextInt(1_001) - 500;
            ReservedPermits one = some.held();
            ReservedPermits other = some.held();
            for (int i = 0; i < 2_000; i++) {
                some.requestTakes = random.nextInt(4) == 0 ? random.nextInt((int) (40 * MS)) : 0;
                some.answerTakes = random.nextInt(4) == 0 ? random.nextInt((int) (40 * MS)) : 0;
                some.call(random.nextBoolean() ? one : other, 1 + random.nextInt(Math.min(3, limit.permits())));
                some.now += random.nextInt((int) (3 * MS));
            }
            assertThat(some.allowed.values()).as("seed " + seed).allMatch(n -> n <= limit.permits());
            some.allowed.forEach(
                    (window, n) -> assertThat(n).as("window " + window).isLessThanOrEqualTo(some.used.get(window)));
        }
    }

    /** However wrong its speed, within what is allowed, a node of its own serves all permits of a window. */
    @Test
    void everyWindowIsServedToTheLastPermit() {
        for (long faster = -500; faster <= 500; faster += 100) {
            World some = new World(LIMIT);
            some.faster = faster;
            ReservedPermits one = some.held();
            while (some.windowNumber() < 5) {
                some.call(one, 1);
                some.now += 100 * MS - 7;
            }
            some.allowed.remove(5L);
            assertThat(some.allowed.values()).hasSize(5).allMatch(n -> n == 100);
        }
    }
}
