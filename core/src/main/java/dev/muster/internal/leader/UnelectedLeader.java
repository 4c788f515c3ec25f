package dev.muster.internal.leader;

import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * For tests: a node that acts as the leader without having been elected, and whose writes are not fenced. Two such nodes show
 * whether the guards in the SQL of the leader's services hold.
 */
public final class UnelectedLeader implements Leadership {
    private final LeaderStore store;
    private final LeaderTerm term;

    public UnelectedLeader(LeaderStore store, LeaderRole role, String node) {
        this.store = store;
        this.term = new LeaderTerm(role, node, new UUID(0, 0), 0, 0);
    }

    @Override
    public LeaderRole role() {
        return term.role();
    }

    @Override
    public Optional<LeaderTerm> current() {
        return Optional.of(term);
    }

    @Override
    public <T> T fenced(FencedWork<T> work) {
        return store.unfenced(work);
    }

    @Override
    public Duration vacantFor() {
        return Duration.ZERO;
    }
}
