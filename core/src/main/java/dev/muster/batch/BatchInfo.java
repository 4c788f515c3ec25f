package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A batch as stored in the database. */
public final class BatchInfo {
    private final BatchId id;
    private final String name;
    private final BatchStatus status;
    private final String condition;
    private final Optional<Double> successRate;
    private final boolean cancelRequested;
    private final Optional<BatchCounts> counts;
    private final Optional<JobId> completionJob;
    private final Optional<JobId> decidingJob;
    private final Instant createdAt;
    private final Optional<Instant> sealedAt;
    private final Optional<Instant> closedAt;

    private BatchInfo(
            BatchId id,
            String name,
            BatchStatus status,
            String condition,
            Optional<Double> successRate,
            boolean cancelRequested,
            Optional<BatchCounts> counts,
            Optional<JobId> completionJob,
            Optional<JobId> decidingJob,
            Instant createdAt,
            Optional<Instant> sealedAt,
            Optional<Instant> closedAt) {
        this.id = id;
        this.name = name;
        this.status = status;
        this.condition = condition;
        this.successRate = successRate;
        this.cancelRequested = cancelRequested;
        this.counts = counts;
        this.completionJob = completionJob;
        this.decidingJob = decidingJob;
        this.createdAt = createdAt;
        this.sealedAt = sealedAt;
        this.closedAt = closedAt;
    }

    /** Begins with what every one has. */
    public static Builder builder(BatchId id, String name, BatchStatus status, String condition, Instant createdAt) {
        return new Builder(id, name, status, condition, createdAt);
    }

    /** A builder with all of this. */
    public Builder toBuilder() {
        Builder builder = new Builder(id, name, status, condition, createdAt);
        builder.successRate = successRate;
        builder.cancelRequested = cancelRequested;
        builder.counts = counts;
        builder.completionJob = completionJob;
        builder.decidingJob = decidingJob;
        builder.sealedAt = sealedAt;
        builder.closedAt = closedAt;
        return builder;
    }

    public BatchId id() {
        return id;
    }

    public String name() {
        return name;
    }

    public BatchStatus status() {
        return status;
    }

    /** {@code all}, {@code any}, {@code success_rate} or {@code decided}. */
    public String condition() {
        return condition;
    }

    /** The share that has to complete, if that is the condition. */
    public Optional<Double> successRate() {
        return successRate;
    }

    /** Whether it was cancelled. */
    public boolean cancelRequested() {
        return cancelRequested;
    }

    /** What became of its jobs: of a closed batch, when it closed; of another one, now, and not in lists, because jobs have to be counted for it. */
    public Optional<BatchCounts> counts() {
        return counts;
    }

    /** The job that is enqueued when it closes. */
    public Optional<JobId> completionJob() {
        return completionJob;
    }

    /** The job that decides about it. */
    public Optional<JobId> decidingJob() {
        return decidingJob;
    }

    public Instant createdAt() {
        return createdAt;
    }

    public Optional<Instant> sealedAt() {
        return sealedAt;
    }

    public Optional<Instant> closedAt() {
        return closedAt;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BatchInfo that
                && id.equals(that.id)
                && name.equals(that.name)
                && status.equals(that.status)
                && condition.equals(that.condition)
                && successRate.equals(that.successRate)
                && cancelRequested == that.cancelRequested
                && counts.equals(that.counts)
                && completionJob.equals(that.completionJob)
                && decidingJob.equals(that.decidingJob)
                && createdAt.equals(that.createdAt)
                && sealedAt.equals(that.sealedAt)
                && closedAt.equals(that.closedAt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                id,
                name,
                status,
                condition,
                successRate,
                cancelRequested,
                counts,
                completionJob,
                decidingJob,
                createdAt,
                sealedAt,
                closedAt);
    }

    @Override
    public String toString() {
        return "BatchInfo[id=" + id + ", name=" + name + ", status=" + status + ", condition=" + condition
                + ", successRate=" + successRate + ", cancelRequested=" + cancelRequested + ", counts=" + counts
                + ", completionJob=" + completionJob + ", decidingJob=" + decidingJob + ", createdAt=" + createdAt
                + ", sealedAt=" + sealedAt + ", closedAt=" + closedAt + "]";
    }

    /** Builds one; what is not set is empty. */
    public static final class Builder {
        private final BatchId id;
        private final String name;
        private final BatchStatus status;
        private final String condition;
        private final Instant createdAt;
        private Optional<Double> successRate = Optional.empty();
        private boolean cancelRequested;
        private Optional<BatchCounts> counts = Optional.empty();
        private Optional<JobId> completionJob = Optional.empty();
        private Optional<JobId> decidingJob = Optional.empty();
        private Optional<Instant> sealedAt = Optional.empty();
        private Optional<Instant> closedAt = Optional.empty();

        private Builder(BatchId id, String name, BatchStatus status, String condition, Instant createdAt) {
            this.id = id;
            this.name = name;
            this.status = status;
            this.condition = condition;
            this.createdAt = createdAt;
        }

        public Builder successRate(Optional<Double> value) {
            successRate = value;
            return this;
        }

        public Builder cancelRequested(boolean value) {
            cancelRequested = value;
            return this;
        }

        public Builder counts(Optional<BatchCounts> value) {
            counts = value;
            return this;
        }

        public Builder completionJob(Optional<JobId> value) {
            completionJob = value;
            return this;
        }

        public Builder decidingJob(Optional<JobId> value) {
            decidingJob = value;
            return this;
        }

        public Builder sealedAt(Optional<Instant> value) {
            sealedAt = value;
            return this;
        }

        public Builder closedAt(Optional<Instant> value) {
            closedAt = value;
            return this;
        }

        public BatchInfo build() {
            return new BatchInfo(
                    id,
                    name,
                    status,
                    condition,
                    successRate,
                    cancelRequested,
                    counts,
                    completionJob,
                    decidingJob,
                    createdAt,
                    sealedAt,
                    closedAt);
        }
    }
}
