package dev.muster.upkeep;

import dev.muster.config.HistoryConfig;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Health;
import dev.muster.runtime.Loop;
import dev.muster.runtime.Service;
import dev.muster.upkeep.UpkeepStore.Days;
import dev.muster.upkeep.UpkeepStore.Dropped;
import java.time.Duration;

/** Drops what is older than its retention: days of history, log lines and figures, and keys. One bit per transaction. */
public final class LogCompactor implements Service {
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofSeconds(2);
    private static final Duration UNTIL_LEADING = Duration.ofSeconds(2);

    private final UpkeepStore store;
    private final Leadership leadership;
    private final HistoryConfig config;
    private final Loop loop = new Loop("log-compactor", this::tick);

    public LogCompactor(UpkeepStore store, Leadership leadership, HistoryConfig config) {
        this.store = store;
        this.leadership = leadership;
        this.config = config;
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
            forgetKeys();
            boolean done = drop(Days.HISTORY, config.retain())
                    & drop(Days.JOB_LOGS, config.jobLogRetain())
                    & drop(Days.METRICS, config.metricsRetain());
            return done ? PERIOD : SOON;
        } catch (StaleLeader e) {
            return UNTIL_LEADING;
        }
    }

    private void forgetKeys() {
        int forgotten;
        do {
            forgotten = leadership.fenced(tx -> store.forgetKeys(tx, config.keyRetain()));
        } while (forgotten > 0 && !loop.stopping());
    }

    private boolean drop(Days days, Duration retain) {
        Dropped last;
        do {
            last = leadership.fenced(tx -> store.dropOldestDay(tx, days, retain));
        } while (last == Dropped.ONE && !loop.stopping());
        return last != Dropped.BUSY;
    }
}
