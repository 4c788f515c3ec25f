package dev.muster.leader;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * For tests of duties: a node that takes itself for the leader without having been elected, and whose writes nobody
 * fences. Two of them show what the guards in the duties' own SQL are worth.
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
