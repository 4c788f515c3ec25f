package dev.muster.workflow;

import dev.muster.job.JobId;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Starts, reads, signals and ends runs of workflows. Thread-safe. */
public interface Workflows extends RunStarter {

    /** Starts runs in the caller's transaction: they exist if and when it commits. */
    RunStarter in(Connection connection);

    Optional<RunInfo> find(JobId run);

    /** The stored steps of a run, in the order in which they were stored. */
    List<StepInfo> steps(JobId run);

    /** How many live runs a version has, up to about ten thousand. */
    int countLive(String workflow, String version);

    /**
     * The newest runs that match the query, up to its limit. They have about 16 MB of inputs and results together; instead of what comes
     * behind them stands a sentence that says so: {@link #find} has it.
     */
    List<RunInfo> list(RunQuery query);

    /**
     * Waits until the run has ended or the timeout is over, and returns the run: check {@link RunInfo#status()}. If other runs continue
     * it, it waits for the last of them and returns that one.
     *
     * @throws dev.muster.runtime.MusterException if there is no such run
     * @throws dev.muster.runtime.WaitInterrupted if the thread is interrupted meanwhile; its interrupt flag stays set
     */
    RunInfo await(JobId run, Duration timeout);

    /** Reads the result of a completed run; null if it has none. */
    <R> @Nullable R result(WorkflowType<?, R> type, RunInfo run);

    /**
     * Sends an event to a run, which a wait for this name takes, now or later. If other runs continue the run, the last of them gets it.
     *
     * @param payload any value the {@code JsonCodec} can write, or {@link dev.muster.job.RawJson}; null for none
     * @param eventId the sender's id of the event: a second signal with the same id is the same event
     * @return false if the run already has this event
     * @throws dev.muster.runtime.MusterException if there is no such run, or it has ended
     */
    boolean signal(JobId run, String event, @Nullable Object payload, String eventId);

    /** Sends an event with a new id; if this call fails without an answer, the event may have been sent. */
    void signal(JobId run, String event, @Nullable Object payload);

    /**
     * Asks a run to end: it starts no further step, asks its children to end, runs its compensations, and is then cancelled. If other
     * runs continue the run, the last of them is asked.
     *
     * @return false if the run has ended
     * @throws dev.muster.runtime.MusterException if there is no such run
     */
    boolean cancel(JobId run, String reason);

    /**
     * Lets a failed run go on: with the steps, or the compensation, that failed, their attempts counted from zero. What the code did after
     * those steps is forgotten. Children whose failure has ended the run are retried too.
     *
     * @return false if the run has not failed
     */
    boolean retry(JobId run);

    /**
     * Gives up all live runs of a version, because no code can resume them. They run no compensations.
     *
     * @return how many there were
     */
    int retire(String workflow, String version, String reason);

    /**
     * Lets no run of this workflow begin or go on until it is resumed. A run that a node executes at the moment ends the step that it is in,
     * and begins no other.
     */
    void pause(String workflow);

    void resume(String workflow);

    /** The workflows that nodes have published. */
    List<DefinitionInfo> definitions();

    /**
     * Selects runs.
     *
     * @param before only runs older than this one, which is the last one of the previous page
     */
    record RunQuery(
            Optional<String> workflow,
            Optional<String> version,
            Set<RunStatus> statuses,
            Optional<JobId> before,
            int limit) {
        public static RunQuery all() {
            return new RunQuery(Optional.empty(), Optional.empty(), Set.of(), Optional.empty(), 100);
        }
    }
}
