package dev.muster.upkeep;

import dev.muster.config.HistoryConfig;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.node.LeaderLoop;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Durations;
import dev.muster.runtime.MusterException;
import dev.muster.upkeep.UpkeepStore.Days;
import dev.muster.upkeep.UpkeepStore.Dropped;
import dev.muster.upkeep.UpkeepStore.Stretch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what is older than its retention: first whole days of history, job logs, attempts and metrics, and placements that are out of
 * use, then keys and locks, by walking through their tables. Every transaction is short and every tick ends after a bounded time, so that
 * days are tried again on time however many keys there are.
 */
public final class RetentionCleaner extends LeaderLoop {
    private static final Logger log = LoggerFactory.getLogger(RetentionCleaner.class);
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofSeconds(2);

    /** How long one tick may walk through a table. */
    private static final Duration WALK = Duration.ofSeconds(5);

    /** The row of a lock that has been free for this long is removed, because the lock may never be used again. */
    private static final Duration FREE_LOCKS_KEPT = Duration.ofDays(1);

    private final UpkeepStore store;
    private final HistoryConfig config;
    private final Clock clock;
    private final Walk keys = new Walk(this::forgetKeys);
    private final Walk locks = new Walk(this::forgetLocks);
    private long daysDueAt;
    private int busyInARow;

    public RetentionCleaner(UpkeepStore store, Leadership leadership, HistoryConfig config, Clock clock) {
        super("retention-cleaner", leadership);
        this.store = store;
        this.config = config;
        this.clock = clock;
        this.daysDueAt = clock.nanos();
        keys.dueAt = daysDueAt;
        locks.dueAt = daysDueAt;
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
    protected Duration lead() {
        dropDays();
        walk(keys);
        walk(locks);
        long now = clock.nanos();
        long next = Math.min(daysDueAt - now, Math.min(keys.dueAt - now, locks.dueAt - now));
        return Duration.ofNanos(Math.max(0, next));
    }

    private void dropDays() {
        if (daysDueAt - clock.nanos() > 0) {
            return;
        }
        // Set before the attempt: if it throws, the next tick goes on with the keys and locks.
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
}
