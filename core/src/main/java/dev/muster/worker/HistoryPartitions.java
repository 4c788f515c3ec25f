package dev.muster.worker;

import dev.muster.job.store.ClaimStore;
import java.time.Duration;

/**
 * Creates the history partitions of the coming days. Every worker does it, not only a leader: jobs could not end without them.
 */
final class HistoryPartitions {
    private static final Duration PERIOD = Duration.ofMinutes(10);

    private final ClaimStore store;

    HistoryPartitions(ClaimStore store) {
        this.store = store;
    }

    Duration tick() {
        store.prepareHistory();
        return PERIOD;
    }
}
