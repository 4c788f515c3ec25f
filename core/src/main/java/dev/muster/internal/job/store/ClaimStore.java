package dev.muster.internal.job.store;

import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The port through which a worker claims jobs, starts them, keeps their leases and writes how they end. Only the holder of a claim can write
 * about it. Every method is atomic; the database, never
 * the caller, enforces the invariants in the description of {@link dev.muster.job}. Methods without a connection use one of the
 * store's own, and throw {@link dev.muster.runtime.DatabaseUnavailable} if there is none.
 */
public interface ClaimStore {

    /** Opens a session that claims jobs for one node. */
    ClaimSession openClaims(ClaimFilter filter);

    /** Opens sessions that claim jobs of these names for one node. While they are idle, they share their probes. */
    List<ClaimSession> openClaims(ClaimFilter filter, List<Set<String>> names);

    /**
     * Commits {@code running} for claims that are about to start or run already. Rows that another transaction has locked are
     * left for the next pass.
     */
    Marked markRunning(Collection<Start> starts);

    /** Args and metadata of a claimed job that were too large to come with its claim; empty if the claim is lost. */
    Optional<Content> content(ClaimRef claim);

    /**
     * Fills the places in these groups that ended jobs have left, after their outcomes are committed; see {@link AdmissionStore#admitUnlessBusy}.
     *
     * @return the lanes that have new work
     */
    default Set<Lane> admit(Collection<String> groups) {
        return Set.of();
    }

    /** Asks whether a job of this group, whose rate is limited, may begin now; see {@link AdmissionStore#mayBegin}. */
    default AdmissionStore.Begin mayBegin(String group) {
        return AdmissionStore.Begin.NOW;
    }

    /**
     * Extends leases. Rows that another transaction has locked are left for the next pass.
     *
     * @return which claims are lost, cancelled or skipped
     */
    Renewal renew(Collection<ClaimRef> claims, Duration lease);

    /** Which of these claims were asked to cancel, and which are lost. */
    Renewal inspect(Collection<ClaimRef> claims);

    /**
     * Charges a crash to claims whose handler is ending this node's process, and makes the jobs pending again, or ends them after
     * too many crashes. Uses the control connection, as leaving does.
     *
     * @return the claims that this node still held
     */
    List<Recovered> crashed(Collection<Start> claims);

    /**
     * Makes jobs pending again as if they had not been claimed, like {@link Outcome.Released}, but over the control connection:
     * for a node whose pool is exhausted.
     *
     * @return the claims that this node still held; the others were lost, or their outcome was written meanwhile
     */
    HandedBack release(Collection<ClaimRef> claims);

    /** The node claims no more, and all its outcomes are written: removes what is noted of its claims. The sweep finds what is left. */
    default void forgetClaims(String node) {}

    /**
     * Records the progress of running jobs. Rows that another transaction has locked are left for the next report.
     *
     * @return the claims whose progress was recorded
     */
    Set<ClaimRef> progress(Map<ClaimRef, JobInfo.Progress> progress);

    /** Stores lines that handlers logged. */
    void appendLogs(List<NewLogLine> lines);

    /** Writes a completion in the caller's transaction; false if the claim is lost. */
    boolean completeIn(Connection connection, Outcome.Completed outcome) throws SQLException;

    /** Writes a completion in the caller's transaction, without the handler's run time. */
    default boolean completeIn(Connection connection, ClaimRef claim, @Nullable String result) throws SQLException {
        return completeIn(connection, new Outcome.Completed(claim, result));
    }

    /** Finds out whether a completion written by {@link #completeIn} was committed. */
    CompletionState completionOf(ClaimRef claim);

    /**
     * Whether this process has lost contact with the database at any time since then, or has none now; may send a statement.
     *
     * @param nanos a time of {@link System#nanoTime}
     */
    default boolean lostContactSince(long nanos) {
        return false;
    }

    /** Creates the history partitions of the coming days, if they are missing. */
    void prepareHistory();

    /**
     * Claims that were given up over the control connection.
     *
     * @param lanes the lanes of the jobs that are pending again
     * @param cancelled claims whose job has ended instead, because it was asked to cancel
     */
    record HandedBack(Set<Lane> lanes, Set<ClaimRef> pending, Set<ClaimRef> cancelled) {}

    /** The stored args and metadata of a job. */
    record Content(String args, @Nullable String metadata) {}

    /**
     * A log line to be stored.
     *
     * @param agoMillis how long ago it was logged
     */
    record NewLogLine(JobId job, int attempt, String level, String message, long agoMillis) {}

    /**
     * A claim to be marked as running, with the limits of its handler.
     *
     * @param agoMillis how long ago it started; 0 if it is about to start, which it does not if it was asked to cancel
     */
    record Start(ClaimRef claim, int maxAttempts, int maxCrashes, long agoMillis) {}

    /**
     * The claims that are now marked as running, and those that are lost; others were locked, or cancelled before their start.
     */
    record Marked(Set<ClaimRef> running, Set<ClaimRef> lost) {}

    /**
     * The state of a node's claims in the database.
     *
     * @param lost claims that the node no longer holds
     * @param cancelled claims that were asked to cancel
     * @param skipped claims whose rows another transaction has locked: neither renewed nor lost
     */
    record Renewal(Set<ClaimRef> lost, Set<ClaimRef> cancelled, Set<ClaimRef> skipped) {}

    /** The state of a completion that was written in a user's transaction. */
    enum CompletionState {
        COMMITTED,
        /** The transaction is still open. */
        OPEN,
        ROLLED_BACK,
        LOST
    }
}
