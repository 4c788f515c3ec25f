package dev.muster.upkeep;

import dev.muster.config.HistoryConfig;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.Loop;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Service;
import dev.muster.upkeep.UpkeepStore.Days;
import dev.muster.upkeep.UpkeepStore.Dropped;
import dev.muster.upkeep.UpkeepStore.Stretch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops what is older than its retention: first days of history, log lines and figures, then keys and locks, whose
 * tables it walks from one end to the other. Every transaction is short, and every tick ends: days are tried again on
 * time however many keys there are to walk.
 */
public final class RetentionCleaner implements Service {
    private static final Logger log = LoggerFactory.getLogger(RetentionCleaner.class);
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    /** How long one tick walks tables. */
    private static final Duration WALK = Duration.ofSeconds(5);

    /** A lock that was taken and released, and not asked for in this time, is one of those that never come again. */
    private static final Duration FREE_LOCKS_KEPT = Duration.ofDays(1);

    private final UpkeepStore store;
    private final Leadership leadership;
    private final HistoryConfig config;
    private final Clock clock;
    private final Walk keys = new Walk(this::forgetKeys);
    private final Walk locks = new Walk(this::forgetLocks);
    private final Loop loop = new Loop("log-compactor", this::tick);
    private long daysDueAt;
    private int busyInARow;

    public RetentionCleaner(UpkeepStore store, Leadership leadership, HistoryConfig config, Clock clock) {
        this.store = store;
        this.leadership = leadership;
        this.config = config;
        this.clock = clock;
        this.daysDueAt = clock.nanos();
        keys.dueAt = daysDueAt;
        locks.dueAt = daysDueAt;
    }

    /** One stretch of a walk. */
    @FunctionalInterface
    private interface Step {
        Stretch run(Connection tx, long page) throws SQLException;
    }

    /** Where a walk through a table has got to, and when it is to go on. */
    private static final class Walk {
        final Step step;
        long page;
        long dueAt;

        Walk(Step step) {
            this.step = step;
        }
    }

    @Override
    public String name() {
        return "log compactor";
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop() {
        loop.stop();
    }

    @Override
    public Health health() {
        return loop.health();
    }

    Duration tick() {
        if (!leadership.isLeader()) {
            return UNTIL_LEADING;
        }
        try {
            dropDays();
            walk(keys);
            walk(locks);
        } catch (StaleLeader e) {
            return UNTIL_LEADING;
        }
        long now = clock.nanos();
        long next = Math.min(daysDueAt - now, Math.min(keys.dueAt - now, locks.dueAt - now));
        return Duration.ofNanos(Math.max(0, next));
    }

    private void dropDays() {
        if (daysDueAt - clock.nanos() > 0) {
            return;
        }
        // Written down before, so that one that fails does not keep what follows from being done.
        busyInARow++;
        daysDueAt = clock.nanos() + untilNextTry().toNanos();
        if (drop(Days.HISTORY, config.retain())
                & drop(Days.JOB_LOGS, config.jobLogRetain())
                & drop(Days.METRICS, config.metricsRetain())) {
            busyInARow = 0;
            daysDueAt = clock.nanos() + PERIOD.toNanos();
        }
    }

    /** All who write to history wait while a drop waits for those who read it: a dump of hours must not mean that all night. */
    private Duration untilNextTry() {
        Duration wait = SOON.multipliedBy(1L << Math.min(busyInARow - 1, 10));
        return wait.compareTo(PERIOD) < 0 ? wait : PERIOD;
    }

    /** False: it is to be tried again soon. One kind of days that cannot be dropped keeps no other from being dropped. */
    private boolean drop(Days days, Duration retain) {
        Dropped last;
        do {
            try {
                last = leadership.fenced(tx -> store.dropOldestDay(tx, days, retain));
            } catch (StaleLeader | DatabaseUnavailable e) {
                throw e;
            } catch (MusterException e) {
                log.warn("the oldest day of {} could not be dropped, will be tried again: {}", days, e.getMessage());
                return false;
            }
        } while (last == Dropped.ONE && !loop.stopping());
        return last != Dropped.BUSY;
    }

    /** Walks on to the end of the table, or for as long as a tick may. */
    private void walk(Walk walk) {
        long start = clock.nanos();
        if (walk.dueAt - start > 0) {
            return;
        }
        walk.dueAt = start + SOON.toNanos();
        boolean ended;
        do {
            walk.page = leadership.fenced(tx -> walk.step.run(tx, walk.page)).nextPage();
            ended = walk.page == 0;
        } while (!ended && clock.nanos() - start < WALK.toNanos() && !loop.stopping());
        walk.dueAt = clock.nanos() + (ended ? PERIOD : SOON).toNanos();
    }

    private Stretch forgetKeys(Connection tx, long page) throws SQLException {
        return store.forgetKeys(tx, config.keyRetain(), page);
    }

    private Stretch forgetLocks(Connection tx, long page) throws SQLException {
        return store.forgetLocks(tx, FREE_LOCKS_KEPT, page);
    }
}
