package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.internal.node.NodeContext;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A clock that a test moves. A clock created with {@code new} stands still until it is moved. The clock of a {@link Cluster}, and that of an
 * application of Spring under test, runs like any clock and can jump ahead, together with the clocks of the database, which decides about
 * due times and leases, and of every node of the cluster.
 */
public final class FakeClock implements Clock {
    /** Short: the test itself may have an open transaction when it moves the clock. */
    private static final Duration WRITERS_PATIENCE = Duration.ofMillis(300);

    private final Clock base;
    private final Movement movement;
    private final AtomicLong ahead = new AtomicLong();

    /** A clock that stands still. */
    public FakeClock() {
        this(() -> 0L, by -> {});
    }

    private FakeClock(Clock base, Movement movement) {
        this.base = base;
        this.movement = movement;
    }

    /** What moves with the clock. */
    private interface Movement {
        /** Called before the clock moves. */
        void by(Duration by);

        /** @throws IllegalStateException if the clock cannot be moved, with the reason and what to do about it */
        default void check(FakeClock clock) {}
    }

    /**
     * A clock that moves together with that of the database.
     *
     * @param healthyNodes the nodes that would have renewed their leases meanwhile
     * @param passed called when the time has passed and before nodes are woken
     */
    static FakeClock moving(
            DatabaseClock database, Supplier<? extends Collection<String>> healthyNodes, Runnable passed) {
        return new FakeClock(Clock.system(), by -> move(database, by, healthyNodes.get(), passed));
    }

    /** A clock that moves together with that of the database and of the node of this Muster, which has been built with it. */
    static FakeClock moving(TestDatabase database, Supplier<Muster> muster) {
        return new FakeClock(Clock.system(), new Movement() {
            @Override
            public void by(Duration by) {
                Muster application = muster.get();
                String schema =
                        application.api(NodeContext.class).config().database().schema();
                move(new DatabaseClock(database.dataSource(), schema), by, Set.of(application.nodeId()), () -> {});
            }

            @Override
            public void check(FakeClock clock) {
                database.requireClockOf(muster.get(), clock);
            }
        });
    }

    private static void move(DatabaseClock database, Duration by, Collection<String> healthyNodes, Runnable passed) {
        database.advance(by, healthyNodes, WRITERS_PATIENCE);
        passed.run();
        database.wakeNodes();
    }

    @Override
    public long nanos() {
        return base.nanos() + ahead.get();
    }

    /**
     * Moves time ahead, at once.
     *
     * @throws IllegalStateException if the application under test does not use this clock, or another database than that of the test
     */
    public synchronized void advance(Duration by) {
        if (by.isNegative()) {
            throw new IllegalArgumentException("time does not go back: advance(" + by + ")");
        }
        requireMovable();
        movement.by(by);
        ahead.addAndGet(by.toNanos());
    }

    /** @throws IllegalStateException if the clock cannot be moved, with the reason and what to do about it */
    void requireMovable() {
        movement.check(this);
    }
}
