package dev.muster.internal.workflow;

import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.Lane;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.DefinitionInfo;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The port to the tables of workflows. All times are the database's. Whatever an activation writes names its claim of the driver; if
 * that claim is not the current one, nothing is written and the method throws {@link dev.muster.job.ClaimLost}. If the database is on
 * another server than when the run was loaded, nothing is written either, and the method throws {@link ServerReplaced}.
 */
public interface WorkflowStore {

    /**
     * Writes runs and their drivers, all or none. A run whose key or given id a run of the same workflow has already is not written; its id is
     * returned.
     *
     * @return the ids in the order of the runs, and the lanes in which drivers have become claimable
     * @throws MusterException if a given id is that of a run of another workflow, or of a job; nothing is written then
     * @throws dev.muster.job.KeyConflict if the run that has the key was started with another input; nothing is written then
     */
    Started start(List<NewRun> runs);

    /** The same in the caller's transaction. */
    Started start(Connection connection, List<NewRun> runs) throws SQLException;

    /**
     * Writes a child and its driver, unless it exists or has told its parent of its end before, as long as this claim of the parent's driver
     * is the current one. If a retry of the parent has forgotten the child that was at this path, nothing is written: the answer says which
     * run that was.
     */
    StartedChild startChild(RunClaim parent, NewRun child);

    /** Lets the parent take the end of the child that was at this path once more. Does nothing if that child has told a newer one. */
    void tellAgain(RunClaim parent, String path);

    /** Writes a child and its driver, unless it exists, in the place of one that was forgotten, which can tell its parent nothing from then on. */
    StartedChild replaceChild(RunClaim parent, NewRun child);

    /**
     * Asks the live children of a run to end, as long as this claim of the run's driver is the current one. Returns the lanes of the
     * children's drivers.
     */
    Set<Lane> cancelChildren(ClaimRef parent, String reason);

    /** A driver was claimed and waits for a thread: what its activation needs may be read together with that of others. */
    void expect(ClaimRef claim);

    /**
     * What the activation with this claim needs; empty if there is no such run. Runs that several threads ask for are read together.
     * Whether an operator has cancelled the run or paused its workflow may be as of a second ago.
     */
    Optional<LoadedRun> load(ClaimRef claim);

    /**
     * Stores a step. A final row is never changed: if there is one already, it stays.
     *
     * @return what is stored now
     * @throws Unstorable if the database cannot store the step's result
     */
    SavedStep save(RunClaim claim, StepRow step, String node);

    /** Stores a step in the caller's transaction, which must be the one of its effect. */
    SavedStep saveIn(Connection tx, RunClaim claim, StepRow step, String node) throws SQLException;

    /**
     * Begins or continues to wait for an event, in one transaction: stores that the step waits if it does not yet, takes the oldest event
     * of this name that no other wait has taken, or else finds out whether the time is over.
     *
     * @param timeout null to wait forever
     */
    SavedStep awaitEvent(RunClaim claim, StepRow step, String event, @Nullable Duration timeout, String node);

    /** Begins to compensate: a run that does so never goes back to its steps. */
    void beginCompensating(RunClaim claim, RunStatus endsAs, @Nullable String error);

    /** Whether this process has met another server since the run was loaded. Asks nobody. */
    boolean serverReplaced(RunClaim claim);

    /** A run, read where people read. */
    Optional<RunInfo> find(JobId run);

    /** A run as the primary knows it. */
    Optional<RunInfo> current(JobId run);

    /** The last of the runs that continue this one, as the primary knows it; the run itself if none does. */
    Optional<RunInfo> currentOfChain(JobId run);

    /** Behind about 16 MB of results stands {@link dev.muster.internal.job.payload.LeftOut#TEXT} in their place. */
    List<StepInfo> steps(JobId run);

    /** One step of a run, with its whole result. */
    Optional<StepInfo> step(JobId run, String path);

    /** Behind about 16 MB of inputs and results stands {@link dev.muster.internal.job.store.PageText#LEFT_OUT} in their place. */
    List<RunInfo> list(RunQuery query);

    /** Stores an event and makes the driver of a parked run due; the lane in which it is, if it was parked. */
    Signalled signal(JobId run, String eventId, String name, @Nullable String payload);

    /** Asks a run to end, and makes its driver due; empty if the run has ended. */
    Optional<Lane> cancel(JobId run, String reason);

    /** What a retry has to look at; empty if the run has not failed. */
    Optional<FailedRun> failedRun(JobId run);

    /**
     * Lets failed runs continue: a run and those of its children whose failure has ended it. In one transaction, because a parent that continued
     * alone would wait for a child that tells nobody of its end.
     *
     * @return the lanes of their new drivers; empty, and nothing happens, if one of them is not what the caller has looked at any more, or has
     *     a parent that has ended otherwise than completed and is not retried with it
     */
    Set<Lane> retry(List<Retry> runs);

    /** The chain of runs that continue one another to which this run belongs; empty if there is no such run. */
    Optional<Chain> chain(JobId run);

    /** Gives up live runs of a version, and returns how many. */
    int retire(String workflow, String version, String reason);

    /** How many live runs a version has, up to about ten thousand. */
    int countLive(String workflow, String version, @Nullable String signature);

    /** Returns the lanes in which drivers have become claimable. */
    Set<Lane> pause(String workflow, boolean paused);

    /** Publishes what this node has code for. */
    void publish(Collection<Definition> definitions);

    /**
     * Makes blocked runs of these versions due, because this node may have the right code.
     *
     * @param after the last run of the window that was looked at before; null to begin with the first
     */
    Window wakeBlocked(Collection<Definition> definitions, @Nullable JobId after);

    List<DefinitionInfo> definitions();

    /** The version for new runs of a workflow that name none, or this version; empty if no live node serves it. */
    Optional<Definition> resolve(String workflow, @Nullable String version);

    /** The version for runs that continue those of a deprecated version; empty if it is not deprecated, or no live node serves an active one. */
    Optional<Definition> resolveInsteadOf(String workflow, String version);

    /**
     * The versions that have live runs and that no live node can resume.
     *
     * @param own the drivers that this node has itself, whether it is active or not
     */
    List<Stranded> stranded(Collection<String> own);

    /**
     * Marks runs of these versions as blocked, and takes back the marks of others, in the leader's transaction.
     *
     * @param after the last run of the window that was looked at before; null to begin with the first
     */
    Window markBlocked(Connection tx, List<Stranded> stranded, @Nullable JobId after) throws SQLException;

    /**
     * A window of live runs that was looked at.
     *
     * @param changed how many of them have changed
     * @param next the last run of the window; null if it was the last window
     */
    record Window(int changed, @Nullable JobId next) {}

    /**
     * Looks for live runs without a driver and gives them one, or ends them, in the leader's transaction. Asks those to end whose parent has
     * ended without asking them, and wakes those that were parked because of a pause which is over.
     *
     * @param after the last run of the window that was looked at before; null to begin with the first
     */
    Revived revive(Connection tx, @Nullable JobId after) throws SQLException;

    /** Deletes some of the runs that ended longer ago than this, in the leader's transaction; true if there may be more. */
    boolean forgetRuns(Connection tx, Duration retain) throws SQLException;

    /** Drops the oldest day of steps that is older than this, in the leader's transaction; true if there may be more to do now. */
    boolean dropStepsDay(Connection tx, Duration retain) throws SQLException;

    /**
     * A claim of a run's driver, and the server on which the run was loaded. After a failover steps may be missing that an activation
     * remembers: so what it writes from then on names the server, and is refused with {@link ServerReplaced} by another.
     *
     * @param timeline as in {@link dev.muster.job.Fence}
     */
    record RunClaim(ClaimRef ref, long timeline) {}

    /** The database is on another server than when the run was loaded. Nothing was written; the run is to be loaded again. */
    final class ServerReplaced extends MusterException {
        private static final long serialVersionUID = 1L;

        public ServerReplaced(JobId run) {
            super("the database is on another server than when run " + run
                    + " was loaded: steps that were stored since may be missing");
        }
    }

    /** A value that cannot be stored, because it is too large, cannot be written as JSON, or contains a NUL. */
    final class Unstorable extends MusterException {
        private static final long serialVersionUID = 1L;

        public Unstorable(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * A failed run that is to continue.
     *
     * @param seen what the caller has looked at
     * @param forget the paths of the steps to forget; events that their waits have taken can be taken again, except those whose waits have
     *     failed
     */
    record Retry(FailedRun seen, Collection<String> forget) {}

    /**
     * A run that has failed.
     *
     * @param failedSteps the paths of the steps whose failure has ended it
     * @param paths the paths of all its steps
     * @param children its children that have failed and were among those steps, by their paths
     * @param futile its children among those steps that a retry cannot change
     * @param parent its parent, if that has ended otherwise than completed: then children are asked to end
     */
    record FailedRun(
            JobId id,
            Instant failedAt,
            List<String> failedSteps,
            List<String> paths,
            Map<String, JobId> children,
            List<FutileChild> futile,
            @Nullable EndedParent parent) {

        FailedRun withoutPaths() {
            return new FailedRun(id, failedAt, failedSteps, List.of(), children, futile, parent);
        }
    }

    /** A parent that has ended otherwise than completed. */
    record EndedParent(JobId id, RunStatus status) {}

    /**
     * A child whose end has failed its parent, and which does not run again.
     *
     * @param endedAs how it ended, for example as compensated; null if it is not stored any more
     */
    record FutileChild(
            String path,
            String workflow,
            JobId id,
            @Nullable RunStatus endedAs) {}

    /** Runs that continue one another. Payloads of events are sealed for the first of them. */
    record Chain(JobId first, JobId last) {}

    /** A version that no live node can resume. */
    record Stranded(String name, String version, String signature, RunStatus blocked) {

        /** What no live node has, in words. */
        public String what() {
            return switch (blocked) {
                case BLOCKED_MISSING_HANDLER -> "a workflow '" + name + "'";
                case BLOCKED_MISSING_VERSION -> "version " + version + " of workflow '" + name + "'";
                default -> "version " + version + " of workflow '" + name + "' with the signature " + signature;
            };
        }
    }

    /**
     * @param next the last run of this window; null if it was the last window
     * @param more whether as many runs were changed as one transaction may change, so that the next ones are probably waiting, too
     */
    record Revived(
            Set<Lane> lanes, List<JobId> failed, @Nullable JobId next, boolean more) {}

    /**
     * A run to be written.
     *
     * @param input as it is stored
     * @param trace the traceparent that it carries; null if it carries none
     * @param fingerprint what is compared between runs with the same key; null if it has no key
     */
    record NewRun(
            JobId id,
            boolean idGiven,
            Definition definition,
            JobOptions options,
            String input,
            @Nullable String key,
            @Nullable Duration delay,
            @Nullable JobId parent,
            @Nullable String parentPath,
            @Nullable String trace,
            @Nullable ArgsFingerprint fingerprint) {

        /** A run that is compared with no other. */
        public NewRun(
                JobId id,
                boolean idGiven,
                Definition definition,
                JobOptions options,
                String input,
                @Nullable String key,
                @Nullable Duration delay,
                @Nullable JobId parent,
                @Nullable String parentPath,
                @Nullable String trace) {
            this(id, idGiven, definition, options, input, key, delay, parent, parentPath, trace, null);
        }

        /** This run with another trace. */
        public NewRun withTrace(@Nullable String trace) {
            return new NewRun(
                    id, idGiven, definition, options, input, key, delay, parent, parentPath, trace, fingerprint);
        }

        /** This run with what is compared. */
        public NewRun withFingerprint(@Nullable ArgsFingerprint fingerprint) {
            return new NewRun(
                    id, idGiven, definition, options, input, key, delay, parent, parentPath, trace, fingerprint);
        }
    }

    /** What became of a start. */
    record Started(List<JobId> ids, Set<Lane> lanes) {}

    /**
     * What became of the start of a child.
     *
     * @param former the child that was at this path and that a retry has forgotten; null if there was none
     */
    record StartedChild(@Nullable FormerChild former, Set<Lane> lanes) {}

    /**
     * A child that a retry of its parent has forgotten.
     *
     * @param id the run that has told its end
     * @param again whether its failure had ended its parent, so that it was retried together with it
     * @param state null if it is not stored any more, or another child has taken its place
     */
    record FormerChild(JobId id, boolean again, @Nullable FormerState state) {}

    /**
     * What a forgotten child was started with, and what has become of it.
     *
     * @param first the run that got the input
     * @param last the last of the runs that continue it
     * @param goesOn whether it lives, and nobody has asked it to end
     */
    record FormerState(JobId first, JobId last, String workflow, String input, RunStatus status, boolean goesOn) {}

    /** A version of a workflow as its node publishes it. */
    record Definition(
            String name,
            String version,
            String signature,
            Workflow.Lifecycle lifecycle,
            List<String> steps,
            JobOptions options) {

        /** The name of the drivers of runs of this version. */
        public String driver() {
            return DriverName.of(name, version, signature);
        }
    }

    /**
     * A run and its steps.
     *
     * @param firstRun the first run of the chain to which it belongs
     * @param child whether it has a parent
     * @param endsAs what a compensating run ends as; null if it does not compensate
     * @param unknown what of it a newer Muster has stored that this one does not know, in words; null if nothing
     * @param now the database's clock
     * @param timeline the server on which it was read
     */
    record LoadedRun(
            JobId id,
            JobId firstRun,
            boolean child,
            String workflow,
            String version,
            String input,
            @Nullable RunStatus endsAs,
            @Nullable String error,
            @Nullable String reason,
            boolean cancelRequested,
            boolean ended,
            boolean paused,
            List<StepRow> steps,
            @Nullable String unknown,
            Instant now,
            long timeline) {

        public LoadedRun withNow(Instant later) {
            return new LoadedRun(
                    id,
                    firstRun,
                    child,
                    workflow,
                    version,
                    input,
                    endsAs,
                    error,
                    reason,
                    cancelRequested,
                    ended,
                    paused,
                    steps,
                    unknown,
                    later,
                    timeline);
        }
    }

    /** The states of a stored step. */
    enum StepState {
        COMPLETED,
        FAILED,
        TIMED_OUT,
        RETRYING,
        WAITING;

        public boolean isFinal() {
            return this == COMPLETED || this == FAILED || this == TIMED_OUT;
        }
    }

    /** What a step is. */
    enum StepKind {
        STEP,
        SLEEP,
        EVENT,
        CHILD,
        TIME,
        COMPENSATION
    }

    /**
     * A step as it is stored.
     *
     * @param due when a retry or a sleep is due, or a wait is over; null if never
     * @param delay instead of {@code due}, for a step to be stored: counted from then
     */
    record StepRow(
            String path,
            String name,
            StepKind kind,
            StepState state,
            int attempt,
            @Nullable String result,
            @Nullable String error,
            @Nullable Instant due,
            @Nullable Duration delay,
            @Nullable String compensation,
            @Nullable String compensationArgs) {}

    /**
     * A step as it is stored now.
     *
     * @param cancelRequested whether somebody has asked the run to end
     * @param paused whether its workflow is paused
     */
    record SavedStep(StepRow row, boolean cancelRequested, boolean paused) {}

    /** @param known whether the run already had the event */
    record Signalled(boolean known, Optional<Lane> lane) {}

    /**
     * The run gives its thread back.
     *
     * @param status sleeping, waiting or a blocked status
     * @param due null to wait without a limit
     * @param awaiting events that end the wait
     * @param pausing whether the end of its workflow's pause ends the wait
     * @param elsewhere whether only a node with a newer Muster can do anything with the run: then a request to end does not end the wait
     */
    record Parked(
            ClaimRef claim,
            RunStatus status,
            @Nullable Instant due,
            Set<String> awaiting,
            @Nullable String reason,
            boolean pausing,
            boolean elsewhere)
            implements Outcome.OfFeature {

        public Parked(
                ClaimRef claim,
                RunStatus status,
                @Nullable Instant due,
                Set<String> awaiting,
                @Nullable String reason,
                boolean pausing) {
            this(claim, status, due, awaiting, reason, pausing, false);
        }
    }

    /**
     * The run has ended, and so has its driver.
     *
     * @param failedSteps the paths of the steps whose failure has ended it
     * @param child whether it has a parent, which is told
     * @param successor the run that continues it, perhaps in another version; it inherits the priority. If somebody has asked the run to end, it is
     *     not continued but runs again, with a driver that is due
     */
    record Ended(
            ClaimRef claim,
            RunStatus status,
            @Nullable String result,
            @Nullable String error,
            List<String> failedSteps,
            @Nullable String reason,
            boolean child,
            @Nullable NewRun successor)
            implements Outcome.OfFeature {}
}
