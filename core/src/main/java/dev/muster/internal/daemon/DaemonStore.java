package dev.muster.internal.daemon;

import dev.muster.daemon.DaemonInfo;
import dev.muster.job.Fence;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The port to the table of daemons. All times are the database's. */
public interface DaemonStore {

    /** Records which daemons a node can run, adds rows that are missing, and removes rows of daemons that no node can run. */
    void declare(Holder holder, Collection<String> once, Collection<String> perNode);

    /** Records that a node takes no more daemons. */
    void withdraw(Holder holder);

    /**
     * Tells a node that can run these daemons what it has to know, in one statement.
     *
     * @param running those of the daemons that the node runs
     */
    Survey survey(Holder holder, Collection<String> names, Collection<String> running);

    /**
     * Claims one of these daemons that is free, if it is this node's turn.
     *
     * @param patience for how long the daemon must have been free if another node runs fewer and should take it
     */
    Optional<Claim> claim(Holder holder, Collection<String> names, Duration lease, Duration patience);

    /** Extends the leases; returns the claims that the node still holds. */
    Set<Ref> renew(Collection<Ref> claims, Duration lease);

    /** Records that the daemon runs; false if the node no longer holds it. */
    boolean running(Ref claim, int restarts);

    /** Records that the daemon waits for its next start. */
    void backoff(Ref claim, int restarts, String error);

    /** Releases the daemon. */
    void release(Ref claim, int restarts);

    /** Marks the daemon as failed, so that no node starts it until an operator resets it. */
    void fail(Ref claim, int restarts, String error);

    /** Releases all daemons of this incarnation of a node, in the transaction that declares it dead. */
    int release(Connection tx, String node, UUID incarnation) throws SQLException;

    List<DaemonInfo> list();

    /** Frees a failed daemon; false if no daemon of that name has failed. */
    boolean reset(String name);

    /** A node in one of its incarnations. */
    record Holder(String node, UUID incarnation) {}

    /** Identifies a claim by its token. */
    record Ref(String name, String slot, long token) {}

    /** A daemon that was claimed. */
    record Claim(Ref ref, Fence fence, int restarts) {}

    /**
     * What a node has to know about the daemons that it can run.
     *
     * @param free whether a daemon is free, or one of this node's own could be claimed back
     * @param nextEnd how long until the first lease of another node ends
     * @param surplus a daemon of this node that another node, which runs fewer, could run
     * @param peers how many other nodes seem to be alive
     */
    record Survey(
            boolean free,
            Optional<Duration> nextEnd,
            @Nullable String surplus,
            int peers) {}
}
