package dev.muster.worker;

import dev.muster.job.store.JobStore;
import java.time.Duration;

/** Makes room in history for the coming days. Every worker does it, leader or none: jobs could not end without. */
final class HistoryPartitions {
    private static final Duration PERIOD = Duration.ofMinutes(10);

    private final JobStore store;

    HistoryPartitions(JobStore store) {
        this.store = store;
    }

    Duration tick() {
        store.prepareHistory();
        return PERIOD;
    }
}
