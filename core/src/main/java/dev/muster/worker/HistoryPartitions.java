package dev.muster.worker;

import dev.muster.job.store.JobStore;
import java.time.Duration;

/**
 * Creates the history partitions of the coming days. Every worker does it, not only a leader: jobs could not end without them.
 */
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
