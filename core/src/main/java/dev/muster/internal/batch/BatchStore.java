package dev.muster.internal.batch;

import dev.muster.batch.BatchCondition;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchQuery;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.BatchId;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The port to the tables of batches. */
public interface BatchStore {

    /** The topic under which nodes are told that a batch was sealed. */
    String SEALED = "BATCHES";

    /**
     * A batch to be created.
     *
     * @param successRate null unless that is its condition
     * @param completion the job that is enqueued when it closes
     * @param decider the job that decides about it
     */
    record NewBatch(
            BatchId id,
            String name,
            String condition,
            @Nullable Double successRate,
            @Nullable NewJob completion,
            @Nullable NewJob decider) {

        /** The jobs that it enqueues itself. */
        public List<NewJob> jobs() {
            return Stream.of(Optional.ofNullable(completion), Optional.ofNullable(decider))
                    .flatMap(Optional::stream)
                    .toList();
        }

        /** This batch with a trace for the jobs that it enqueues itself. */
        public NewBatch withTrace(@Nullable String trace) {
            return new NewBatch(
                    id,
                    name,
                    condition,
                    successRate,
                    completion == null ? null : completion.withTrace(trace),
                    decider == null ? null : decider.withTrace(trace));
        }
    }

    /**
     * What {@link #closeDue} has done.
     *
     * @param lanes the lanes of jobs that it has enqueued
     * @param closed the batches that it has closed
     * @param toCancel the batches that were cancelled and still have live jobs: the program that cancelled them may have died before
     *     it had cancelled their jobs
     * @param again how soon to call it again, even if no job ends: there was something that it did not look at
     */
    record Closing(Set<Lane> lanes, List<BatchId> closed, List<BatchId> toCancel, Optional<Duration> again) {}

    /** Creates a batch, in a transaction of its own. If the id exists, nothing changes, and it returns false. */
    boolean create(NewBatch batch);

    /** The same in the caller's transaction. */
    boolean create(Connection connection, NewBatch batch) throws SQLException;

    /** Whether there is such a batch and it is not sealed, as the caller's transaction sees it. */
    boolean isOpen(Connection connection, BatchId id) throws SQLException;

    /** Seals a batch; false if there is none. */
    boolean seal(BatchId id);

    /** Seals a batch in the caller's transaction; the nodes learn of it when that commits. */
    boolean seal(Connection connection, BatchId id) throws SQLException;

    /** Seals a batch and notes that it was cancelled, unless it is closed; false if there is none. */
    boolean cancel(BatchId id);

    /** A batch with its counts, read where people read or, if {@code current}, on the primary. */
    Optional<BatchInfo> find(BatchId id, boolean current);

    List<BatchInfo> list(BatchQuery query);

    /**
     * Closes sealed batches whose condition is decided, and enqueues their completion jobs in the same transaction. Enqueues the jobs of
     * {@link BatchCondition#decidedBy} when they have to decide. May be called by any node at any time: a batch closes once. A batch whose
     * row another transaction holds is left for the next call.
     *
     * @param thorough whether to look at everything; otherwise a condition that may be met before all jobs have ended is looked at about
     *     once a second
     */
    Closing closeDue(boolean thorough);

    /**
     * Has the listener called when jobs have ended while there may be sealed batches, instead of closing batches on the thread that has
     * ended the jobs. The listener must be quick, and see to it that {@link #closeDue} is called.
     */
    void onEnded(Runnable listener);

    /** Another process has sealed a batch. */
    void mayHaveSealed();

    /**
     * Deletes a bounded number of batches that were closed, or were created and have neither been sealed nor have live jobs, longer ago
     * than this. Returns whether there may be more.
     */
    boolean forget(Connection tx, Duration retain) throws SQLException;
}
