package dev.muster.internal.leader;

import dev.muster.config.LeaderConfig;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership.FencedWork;
import dev.muster.leader.StaleLeader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The port to the leaders' rows. Each call about this node's own leadership is one round trip, guarded by the row. */
public interface LeaderStore {

    /** Renews the roles that this node leads and returns the state of every role, in one statement. */
    List<RoleRow> check(Candidate self);

    /**
     * Takes over a role that is vacant, whose lease has run out, or whose leader's session has ended. Empty if another node leads
     * or the server is a standby.
     */
    Optional<LeaderTerm> takeOver(Candidate self, LeaderRole role);

    /** Gives up these roles, as far as this node holds them, and wakes the other candidates. */
    void release(Candidate self, Set<LeaderRole> roles);

    /**
     * Runs work in a transaction that commits only if this is still the role's term.
     *
     * @param limit how long the transaction may be idle between two statements before the database ends it
     * @throws StaleLeader if the term is over; nothing was written
     */
    <T> T fenced(LeaderTerm term, Duration limit, FencedWork<T> work);

    /** Runs work in a transaction with the same settings as {@link #fenced}, but without checking who leads. */
    <T> T unfenced(FencedWork<T> work);

    /** Calls the listener when a leader has left, and when notifications may have been lost. The listener must be quick. */
    void onVacancy(Runnable listener);

    /**
     * The node that asks.
     *
     * @param roles the roles it wants to lead; with none it only reads
     */
    record Candidate(String node, UUID incarnation, Set<LeaderRole> roles, LeaderConfig config) {
        public Candidate {
            roles = Set.copyOf(roles);
        }
    }

    /**
     * The state of a role.
     *
     * @param holder the term in the row; null if the role was given up or never held
     * @param live whether the lease has not run out
     * @param mine whether this check has renewed the lease for the node that asked
     * @param winnable whether {@link #takeOver} is worth trying
     * @param strategy the strategy of the last election; null if there was none
     * @param left the time until the lease runs out unless it is renewed
     * @param silent for how long the leader's node has sent no heartbeat; zero if it has no row
     */
    record RoleRow(
            LeaderRole role,
            @Nullable LeaderTerm holder,
            boolean live,
            boolean mine,
            boolean winnable,
            LeaderConfig.@Nullable Strategy strategy,
            Duration left,
            Duration silent) {}
}
