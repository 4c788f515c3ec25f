package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.job.JobContext;
import dev.muster.runtime.MusterException;
import java.util.Map;

/**
 * What became of a batch, for the handler of its completion job, or of the job that decides about it.
 *
 * @param status {@link BatchStatus#SEALED} for the job that decides
 */
public record BatchSummary(BatchId batch, String name, BatchStatus status, BatchCounts counts) {
    /** The keys of the metadata that contain the summary begin with this. */
    public static final String PREFIX = "muster.batch";

    /**
     * The summary that the job of this context was given.
     *
     * @throws MusterException if the job was not enqueued by a batch
     */
    public static BatchSummary of(JobContext context) {
        return of(context.metadata());
    }

    /** The summary in the metadata of a job. */
    public static BatchSummary of(Map<String, String> metadata) {
        return new BatchSummary(
                BatchId.of(value(metadata, "")),
                value(metadata, ".name"),
                BatchStatus.stored(value(metadata, ".status")),
                new BatchCounts(
                        count(metadata, "live"),
                        count(metadata, "completed"),
                        count(metadata, "failed"),
                        count(metadata, "cancelled"),
                        count(metadata, "expired")));
    }

    private static long count(Map<String, String> metadata, String of) {
        return Long.parseLong(value(metadata, "." + of));
    }

    private static String value(Map<String, String> metadata, String key) {
        String value = metadata.get(PREFIX + key);
        if (value == null) {
            throw new MusterException("this job was not enqueued by a batch: its metadata has no " + PREFIX + key);
        }
        return value;
    }
}
