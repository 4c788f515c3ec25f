package dev.muster.job.store;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Lane;
import dev.muster.job.store.RecoveryStore.Recovered;
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
 * about it. Every method is atomic; the guards named in {@link dev.muster.job} live in the database, never in the
 * caller. Methods without a connection use one of the store's own and throw {@link dev.muster.runtime.DatabaseUnavailable}
 * when there is none.
 */
public interface ClaimStore {

    /** Opens the claiming side for one node. */
    ClaimSession openClaims(ClaimScope scope);

    /**
     * Commits {@code running} for claims about to start or running already. A row that someone else
     * has locked is left for the next pass.
     */
    Marked markRunning(Collection<Start> starts);

    /** Args and metadata of a claimed job that were too large to come with its claim; empty if the claim is lost. */
    Optional<Content> content(ClaimRef claim);

    /**
     * Extends leases. A row that someone else has locked is left for the next pass.
     *
     * @return what the node must know about its claims
     */
    Renewal renew(Collection<ClaimRef> claims, Duration lease);

    /** Which of these claims were asked to cancel, and which are lost. */
    Renewal inspect(Collection<ClaimRef> claims);

    /**
     * Charges a crash to claims whose handler is ending the process of this node, and puts them back in line, or ends them
     * after too many. Goes over the control connection, as leaving does.
     *
     * @return those that were still this node's
     */
    List<Recovered> crashed(Collection<Start> claims);

    /**
     * Puts claims back in line as if they had not been claimed, as {@link Outcome.Released} does, over the control
     * connection: for a node whose pool is empty.
     *
     * @return lanes with new work
     */
    Set<Lane> release(Collection<ClaimRef> claims);

    /**
     * Records how far running jobs are. A row that someone else has locked is left for the next report.
     *
     * @return the claims for which it is recorded
     */
    Set<ClaimRef> progress(Map<ClaimRef, JobInfo.Progress> progress);

    /** Keeps lines that handlers logged. */
    void appendLogs(List<NewLogLine> lines);

    /** Writes a completion into the caller's transaction; false if the claim is lost. */
    boolean completeIn(Connection connection, Outcome.Completed outcome) throws SQLException;

    /** Same, without saying how long the handler took. */
    default boolean completeIn(Connection connection, ClaimRef claim, @Nullable String result) throws SQLException {
        return completeIn(connection, new Outcome.Completed(claim, result));
    }

    /** Finds out what became of a completion written by {@link #completeIn}. */
    CompletionState completionOf(ClaimRef claim);

    /**
     * Whether this process was out of contact with the database at any time since then, or is now; may ask the database.
     *
     * @param nanos a time of {@link System#nanoTime}
     */
    default boolean lostContactSince(long nanos) {
        return false;
    }

    /** Makes sure that history has a place for the coming days. */
    void prepareHistory();

    /** What a handler is given, as it is stored. */
    record Content(String args, @Nullable String metadata) {}

    /**
     * A line to be kept.
     *
     * @param agoMillis how long ago it was logged
     */
    record NewLogLine(JobId job, int attempt, String level, String message, long agoMillis) {}

    /**
     * A claim to be marked as running, with the limits that its handler sets.
     *
     * @param agoMillis how long ago it started; 0: it is about to, and does not if it was asked to cancel
     */
    record Start(ClaimRef claim, int maxAttempts, int maxCrashes, long agoMillis) {}

    /** Claims now shown as running, and claims found to be lost; the others were locked, or cancelled before they started. */
    record Marked(Set<ClaimRef> running, Set<ClaimRef> lost) {}

    /**
     * What the database says about a node's claims.
     *
     * @param lost no longer the node's
     * @param cancelled asked to stop
     * @param skipped locked by someone else just now: neither renewed nor lost
     */
    record Renewal(Set<ClaimRef> lost, Set<ClaimRef> cancelled, Set<ClaimRef> skipped) {}

    /** Where a completion written into a user's transaction is. */
    enum CompletionState {
        COMMITTED,
        /** The transaction is still open. */
        OPEN,
        ROLLED_BACK,
        LOST
    }
}
