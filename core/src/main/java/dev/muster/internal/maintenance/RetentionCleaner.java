package dev.muster.internal.maintenance;

import dev.muster.config.HistoryConfig;
import dev.muster.internal.maintenance.MaintenanceStore.Days;
import dev.muster.internal.maintenance.MaintenanceStore.Dropped;
import dev.muster.internal.maintenance.MaintenanceStore.Stretch;
import dev.muster.internal.node.LeaderDeletions;
import dev.muster.internal.node.LeaderLoop;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.Each;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what is older than its retention: first whole days of history, job logs, attempts and metrics, and placements that are out of
 * use, then keys, locks and rate limits, by walking through their tables. Every transaction is short and every tick ends after a bounded
 * time, so that days are tried again on time however many keys there are. Runs, graphs, batches, audit entries and unused concurrency groups
 * are deleted by {@link LeaderDeletions} of their own.
 */
public final class RetentionCleaner extends LeaderLoop {
    private static final Logger log = LoggerFactory.getLogger(RetentionCleaner.class);
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofSeconds(2);

    /** How long one tick may walk through a table. */
    private static final Duration WALK = Duration.ofSeconds(5);

    /** The row of a lock that has been free for this long is removed, because the lock may never be used again. */
    private static final Duration FREE_LOCKS_KEPT = Duration.ofDays(1);

    /** If the database's clock steps back by less, as after a failover, no window is counted twice; see muster_take_permits. */
    private static final Duration ENDED_RATE_LIMITS_KEPT = Duration.ofHours(1);

    private final MaintenanceStore store;
    private final HistoryConfig config;
    private final Clock clock;
    private final List<Walk> walks =
            List.of(new Walk(this::forgetKeys), new Walk(this::forgetLocks), new Walk(this::forgetRateLimits));
    private long daysDueAt;
    private int busyInARow;

    public RetentionCleaner(MaintenanceStore store, Leadership leadership, HistoryConfig config, Clock clock) {
        super("retention-cleaner", leadership);
        this.store = store;
        this.config = config;
        this.clock = clock;
        this.daysDueAt = clock.nanos();
        walks.forEach(walk -> walk.dueAt = daysDueAt);
    }

    /** Walks through one stretch of a table. */
    @FunctionalInterface
    private interface Step {
        Stretch run(Connection tx, long page) throws SQLException;
    }

    /** The position of a walk through a table, and when it continues. */
    private static final class Walk {
        final Step step;
        long page;
        long dueAt;

        Walk(Step step) {
            this.step = step;
        }
    }

    @Override
    protected Duration firstWait() {
        return LeaderDeletions.FIRST_WAIT;
    }

    @Override
    protected Duration lead() {
        dropDays();
        Each.of(walks, this::walk);
        long now = clock.nanos();
        long next = walks.stream().mapToLong(walk -> walk.dueAt - now).reduce(daysDueAt - now, Math::min);
        return Duration.ofNanos(Math.max(0, next));
    }

    private void dropDays() {
        if (daysDueAt - clock.nanos() > 0) {
            return;
        }
        // Set before the attempt: if it throws, the next tick continues with the walks.
        busyInARow++;
        daysDueAt = clock.nanos() + untilNextTry().toNanos();
        if (drop(Days.HISTORY, config.retain())
                & drop(Days.JOB_LOGS, config.jobLogRetain())
                & drop(Days.ATTEMPTS, config.jobLogRetain())
                & drop(Days.METRICS, config.metricsRetain())) {
            busyInARow = 0;
            daysDueAt = clock.nanos() + PERIOD.toNanos();
            leadership().fenced(store::forgetPlacements);
        }
    }

    /**
     * Grows with each failed attempt. While a drop waits for a reader, all writers to history wait for the drop, and a backup may
     * read for hours.
     */
    private Duration untilNextTry() {
        Duration wait = SOON.multipliedBy(1L << Math.min(busyInARow - 1, 10));
        return Durations.shorter(wait, PERIOD);
    }

    /**
     * Drops all days that are too old. Returns false, and throws nothing, if one could not be dropped and should be tried soon.
     */
    private boolean drop(Days days, Duration retain) {
        Dropped last;
        do {
            try {
                last = leadership().fenced(tx -> store.dropOldestDay(tx, days, retain));
            } catch (StaleLeader | DatabaseUnavailable e) {
                throw e;
            } catch (MusterException e) {
                log.warn("could not drop the oldest day of {}, will try again: {}", days, e.getMessage());
                return false;
            }
        } while (last == Dropped.ONE && !loop().stopping());
        return last != Dropped.BUSY;
    }

    /** Continues the walk to the end of the table, or until this tick's time is over. */
    private void walk(Walk walk) {
        long start = clock.nanos();
        if (walk.dueAt - start > 0) {
            return;
        }
        walk.dueAt = start + SOON.toNanos();
        boolean ended;
        do {
            walk.page = leadership().fenced(tx -> walk.step.run(tx, walk.page)).nextPage();
            ended = walk.page == 0;
        } while (!ended && clock.nanos() - start < WALK.toNanos() && !loop().stopping());
        walk.dueAt = clock.nanos() + (ended ? PERIOD : SOON).toNanos();
    }

    private Stretch forgetKeys(Connection tx, long page) throws SQLException {
        return store.forgetKeys(tx, config.keyRetain(), page);
    }

    private Stretch forgetLocks(Connection tx, long page) throws SQLException {
        return store.forgetLocks(tx, FREE_LOCKS_KEPT, page);
    }

    private Stretch forgetRateLimits(Connection tx, long page) throws SQLException {
        return store.forgetRateLimits(tx, ENDED_RATE_LIMITS_KEPT, page);
    }
}
