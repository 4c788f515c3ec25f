package dev.muster.leader;

import dev.muster.config.LeaderConfig;
import dev.muster.leader.Leadership.FencedWork;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The port to the leaders' rows. Each call about this node's own leadership is one round trip, guarded by the row. */
public interface LeaderStore {

    /** Renews what this node holds and tells how every role stands: one statement. */
    List<Standing> check(Candidate self);

    /**
     * Takes a role that is vacant, has run out, or whose leader's session has ended; empty if it is not to be had.
     * Never succeeds on a standby.
     */
    Optional<LeaderTerm> takeOver(Candidate self, LeaderRole role);

    /** Gives up these roles, as far as this node holds them, and wakes the other candidates. */
    void release(Candidate self, Set<LeaderRole> roles);

    /**
     * Runs work in a transaction that commits only if this term is still the role's.
     *
     * @param limit how long it may stand still between two statements before the database ends it
     * @throws StaleLeader if the term is over; nothing was written
     */
    <T> T fenced(LeaderTerm term, Duration limit, FencedWork<T> work);

    /** Runs work in such a transaction without the fence. */
    <T> T unfenced(FencedWork<T> work);

    /** Calls the listener when a leader has left, and when anything may have been missed. It must be quick. */
    void onVacancy(Runnable listener);

    /**
     * Who asks.
     *
     * @param roles what it wants to lead; none: it only looks
     */
    record Candidate(String node, UUID incarnation, Set<LeaderRole> roles, LeaderConfig config) {
        public Candidate {
            roles = Set.copyOf(roles);
        }
    }

    /**
     * How a role stands.
     *
     * @param holder the reign on record; null: the role was given up, or never held
     * @param live whether it has not run out
     * @param mine whether it was just renewed for the one who asked
     * @param winnable whether {@link #takeOver} is worth trying
     * @param strategy of the last election; null: there was none
     * @param left until it runs out unless it is renewed
     * @param silent for how long the leader's node has sent no heartbeat; zero if it has no row
     */
    record Standing(
            LeaderRole role,
            @Nullable LeaderTerm holder,
            boolean live,
            boolean mine,
            boolean winnable,
            LeaderConfig.@Nullable Strategy strategy,
            Duration left,
            Duration silent) {}
}
