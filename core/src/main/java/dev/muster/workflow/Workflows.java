package dev.muster.workflow;

import dev.muster.job.JobId;
import dev.muster.runtime.Writes;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Starts, reads, signals and ends runs of workflows. Thread-safe. */
public interface Workflows extends RunStarter {

    /** Starts runs in the caller's transaction: they exist if and when it commits. */
    @Writes("start workflows")
    RunStarter in(Connection connection);

    Optional<RunInfo> find(JobId run);

    /**
     * The stored steps of a run, in the order in which they were stored. They have about 16 MB of results together; instead of what comes behind
     * them stands {@code {"$muster": "left out: …"}}: {@link #step} has it.
     */
    List<StepInfo> steps(JobId run);

    /** One stored step of a run by its path, such as {@code 3} or {@code 2.0.1}, with its whole result. */
    Optional<StepInfo> step(JobId run, String path);

    /** How many live runs a version has, up to about ten thousand. */
    int countLive(String workflow, String version);

    /**
     * The newest runs that match the query, up to its limit. They have about 16 MB of inputs and results together; instead of what comes
     * behind them stands {@code {"$muster": "left out: …"}}: {@link #find} has it, and {@link #result} reads it.
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
    @Writes("signal workflows")
    boolean signal(JobId run, String event, @Nullable Object payload, String eventId);

    /** Sends an event with a new id; if this call fails without an answer, the event may have been sent. */
    @Writes("signal workflows")
    void signal(JobId run, String event, @Nullable Object payload);

    /**
     * Asks a run to end: it starts no further step, asks its children to end, runs its compensations, and is then cancelled. If other
     * runs continue the run, the last of them is asked.
     *
     * @return false if the run has ended
     * @throws dev.muster.runtime.MusterException if there is no such run
     */
    @Writes("cancel workflows")
    boolean cancel(JobId run, String reason);

    /**
     * Lets a failed run continue: with the steps, or the compensation, that failed, their attempts counted from zero. What the code did after
     * those steps is forgotten. Children whose failure has ended the run are retried too. If what failed is a wait, because its event did not fit
     * the type, that event stays used up: the run waits for another one.
     *
     * @return false if the run has not failed
     * @throws dev.muster.runtime.MusterException if there is no such run, if it failed because of a child that cannot run again, or if it is
     *     a child whose parent has ended and would ask it to end: the message says what to do instead
     */
    @Writes("retry workflows")
    boolean retry(JobId run);

    /**
     * Gives up all live runs of a version, because no code can resume them. They run no compensations.
     *
     * @return how many there were
     */
    @Writes("retire workflows")
    int retire(String workflow, String version, String reason);

    /**
     * Lets no run of this workflow begin or continue until it is resumed. A run that a node executes at the moment ends the step that it is in,
     * and begins no other.
     */
    @Writes("pause workflows")
    void pause(String workflow);

    @Writes("resume workflows")
    void resume(String workflow);

    /** The workflows that nodes have published. */
    List<DefinitionInfo> definitions();

    /** Selects runs. Immutable: each method returns a changed copy. */
    final class RunQuery {
        private final Optional<String> workflow;
        private final Optional<String> version;
        private final Set<RunStatus> statuses;
        private final Optional<JobId> before;
        private final int limit;

        private RunQuery(
                Optional<String> workflow,
                Optional<String> version,
                Set<RunStatus> statuses,
                Optional<JobId> before,
                int limit) {
            this.workflow = workflow;
            this.version = version;
            this.statuses = Set.copyOf(statuses);
            this.before = before;
            this.limit = limit;
        }

        /** The newest 100. */
        public static RunQuery all() {
            return new RunQuery(Optional.empty(), Optional.empty(), Set.of(), Optional.empty(), 100);
        }

        public RunQuery workflow(String wanted) {
            return new RunQuery(Optional.of(wanted), version, statuses, before, limit);
        }

        public RunQuery version(String wanted) {
            return new RunQuery(workflow, Optional.of(wanted), statuses, before, limit);
        }

        public RunQuery status(RunStatus... wanted) {
            return new RunQuery(workflow, version, Set.of(wanted), before, limit);
        }

        /** If empty, with any status. */
        public RunQuery statuses(Collection<RunStatus> wanted) {
            return new RunQuery(workflow, version, Set.copyOf(wanted), before, limit);
        }

        /** Only runs older than this one, which is the last one of the previous page. */
        public RunQuery before(JobId last) {
            return new RunQuery(workflow, version, statuses, Optional.of(last), limit);
        }

        public RunQuery limit(int wanted) {
            return new RunQuery(workflow, version, statuses, before, wanted);
        }

        public Optional<String> workflow() {
            return workflow;
        }

        public Optional<String> version() {
            return version;
        }

        public Set<RunStatus> statuses() {
            return statuses;
        }

        public Optional<JobId> before() {
            return before;
        }

        public int limit() {
            return limit;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof RunQuery that
                    && workflow.equals(that.workflow)
                    && version.equals(that.version)
                    && statuses.equals(that.statuses)
                    && before.equals(that.before)
                    && limit == that.limit;
        }

        @Override
        public int hashCode() {
            return Objects.hash(workflow, version, statuses, before, limit);
        }

        @Override
        public String toString() {
            return "RunQuery[workflow=" + workflow + ", version=" + version + ", statuses=" + statuses + ", before="
                    + before + ", limit=" + limit + "]";
        }
    }
}
