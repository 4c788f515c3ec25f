package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.runtime.MusterException;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Selects the batches to list, newest first. Immutable: each method returns a changed copy. */
public final class BatchQuery {
    private final Set<BatchStatus> statuses;
    private final Optional<String> name;
    private final Optional<BatchId> before;
    private final int limit;

    private BatchQuery(Set<BatchStatus> statuses, Optional<String> name, Optional<BatchId> before, int limit) {
        if (limit < 1 || limit > 1_000) {
            throw new MusterException("limit must be 1 to 1000, not " + limit);
        }
        this.statuses = Set.copyOf(statuses);
        this.name = name;
        this.before = before;
        this.limit = limit;
    }

    /** The newest 100. */
    public static BatchQuery all() {
        return new BatchQuery(Set.of(), Optional.empty(), Optional.empty(), 100);
    }

    public BatchQuery status(BatchStatus... wanted) {
        return new BatchQuery(Set.of(wanted), name, before, limit);
    }

    /** If empty, with any status. */
    public BatchQuery statuses(Collection<BatchStatus> wanted) {
        return new BatchQuery(Set.copyOf(wanted), name, before, limit);
    }

    public BatchQuery name(String wanted) {
        return new BatchQuery(statuses, Optional.of(wanted), before, limit);
    }

    /** Only batches older than this one, which is the last one of the previous page. */
    public BatchQuery before(BatchId last) {
        return new BatchQuery(statuses, name, Optional.of(last), limit);
    }

    /** 1 to 1,000. */
    public BatchQuery limit(int wanted) {
        return new BatchQuery(statuses, name, before, wanted);
    }

    public Set<BatchStatus> statuses() {
        return statuses;
    }

    public Optional<String> name() {
        return name;
    }

    public Optional<BatchId> before() {
        return before;
    }

    public int limit() {
        return limit;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BatchQuery that
                && statuses.equals(that.statuses)
                && name.equals(that.name)
                && before.equals(that.before)
                && limit == that.limit;
    }

    @Override
    public int hashCode() {
        return Objects.hash(statuses, name, before, limit);
    }

    @Override
    public String toString() {
        return "BatchQuery[statuses=" + statuses + ", name=" + name + ", before=" + before + ", limit=" + limit + "]";
    }
}
