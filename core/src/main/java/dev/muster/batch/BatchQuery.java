package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.runtime.MusterException;
import java.util.Optional;
import java.util.Set;

/**
 * Selects the batches to list, newest first.
 *
 * @param statuses if empty, batches with any status
 * @param before only batches older than this one, which is the last one of the previous page
 * @param limit 1 to 1,000
 */
public record BatchQuery(Set<BatchStatus> statuses, Optional<String> name, Optional<BatchId> before, int limit) {

    public BatchQuery {
        statuses = Set.copyOf(statuses);
        if (limit < 1 || limit > 1_000) {
            throw new MusterException("limit must be 1 to 1000, not " + limit);
        }
    }

    public static BatchQuery all() {
        return new BatchQuery(Set.of(), Optional.empty(), Optional.empty(), 100);
    }

    public BatchQuery status(BatchStatus... wanted) {
        return new BatchQuery(Set.of(wanted), name, before, limit);
    }

    public BatchQuery name(String wanted) {
        return new BatchQuery(statuses, Optional.of(wanted), before, limit);
    }

    public BatchQuery before(BatchId last) {
        return new BatchQuery(statuses, name, Optional.of(last), limit);
    }

    public BatchQuery limit(int wanted) {
        return new BatchQuery(statuses, name, before, wanted);
    }
}
