package dev.muster.batch;

import dev.muster.internal.runtime.Names;
import dev.muster.job.BatchId;
import dev.muster.job.JobRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A batch to be created. Immutable: each method returns a changed copy.
 *
 * <pre>{@code
 * BatchRequest.of("nightly_import").onComplete(JobRequest.of("report_import"))
 * }</pre>
 */
public final class BatchRequest {
    private final String name;
    private final BatchId id;
    private final BatchCondition condition;
    private final @Nullable JobRequest completion;

    private BatchRequest(String name, BatchId id, BatchCondition condition, @Nullable JobRequest completion) {
        this.name = Names.require("batch name", name);
        this.id = id;
        this.condition = condition;
        this.completion = completion;
    }

    /** A batch that closes when all its jobs have ended. Batches may have the same name. */
    public static BatchRequest of(String name) {
        return new BatchRequest(name, BatchId.next(), BatchCondition.all(), null);
    }

    /** Sets the id, so that the same request can be sent again without creating a second batch. */
    public BatchRequest id(BatchId id) {
        return new BatchRequest(name, id, condition, completion);
    }

    /** When the batch closes, and whether it has succeeded. Default: {@link BatchCondition#all}. */
    public BatchRequest condition(BatchCondition condition) {
        return new BatchRequest(name, id, condition, completion);
    }

    /**
     * The job that is enqueued when the batch closes, however it does: its handler reads the counts with {@link BatchSummary#of}. It may
     * have args and options; ids, keys, times and dependencies are refused.
     */
    public BatchRequest onComplete(JobRequest job) {
        return new BatchRequest(name, id, condition, job);
    }

    public String name() {
        return name;
    }

    public BatchId id() {
        return id;
    }

    public BatchCondition condition() {
        return condition;
    }

    public Optional<JobRequest> onComplete() {
        return Optional.ofNullable(completion);
    }
}
