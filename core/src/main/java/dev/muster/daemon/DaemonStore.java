package dev.muster.daemon;

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

    /** Says which daemons a node can run, and makes sure that they have their rows; forgets rows nobody stands for. */
    void declare(Holder holder, Collection<String> once, Collection<String> perNode);

    /** Takes a node out of the choice for free daemons. */
    void withdraw(Holder holder);

    /**
     * What a node that can run these should know, in one statement.
     *
     * @param running those of them that it does run
     */
    Survey survey(Holder holder, Collection<String> names, Collection<String> running);

    /**
     * Takes one free daemon of these, if it is this node's turn.
     *
     * @param patience for how long it must have been free if another node should rather have it
     */
    Optional<Claim> claim(Holder holder, Collection<String> names, Duration lease, Duration patience);

    /** Extends leases; returns the claims that are still the holder's. */
    Set<Ref> renew(Collection<Ref> claims, Duration lease);

    /** Shows that it runs; false if it is no longer the holder's. */
    boolean running(Ref claim, int restarts);

    /** Shows that it waits for its next start. */
    void backoff(Ref claim, int restarts, String error);

    /** Gives it up. */
    void release(Ref claim, int restarts);

    /** Leaves it alone until someone resets it. */
    void fail(Ref claim, int restarts, String error);

    /** Gives up all that this incarnation of a node has; for the transaction in which it is found dead. */
    int release(Connection tx, String node, UUID incarnation) throws SQLException;

    List<DaemonInfo> list();

    /** False if there is no failed one of that name. */
    boolean reset(String name);

    /** A node in one of its lives. */
    record Holder(String node, UUID incarnation) {}

    /** A claim by its token. */
    record Ref(String name, String slot, long token) {}

    /** A daemon that was taken. */
    record Claim(Ref ref, Fence fence, int restarts) {}

    /**
     * How things stand.
     *
     * @param free whether there is one to be had, or to be had back
     * @param nextEnd how long until the first lease of another node ends
     * @param surplus one of the holder's own that another node, with fewer, could run
     */
    record Survey(
            boolean free,
            Optional<Duration> nextEnd,
            @Nullable String surplus) {}
}
