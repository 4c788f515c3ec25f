package dev.muster.worker;

import dev.muster.config.HistoryConfig;
import dev.muster.job.JobStore;
import java.time.Duration;

/** Keeps history in bounds: makes room for the coming days, drops the old ones, forgets old keys. Any node may do it. */
final class Housekeeping {
    private static final Duration PERIOD = Duration.ofMinutes(10);
    private static final Duration SOON = Duration.ofSeconds(2);

    private final JobStore store;
    private final HistoryConfig config;

    Housekeeping(JobStore store, HistoryConfig config) {
        this.store = store;
        this.config = config;
    }

    Duration tick() {
        store.prepareHistory();
        store.forgetKeys(config.keyRetain());
        return store.dropOldDays(config.retain(), config.jobLogRetain()) ? PERIOD : SOON;
    }
}
