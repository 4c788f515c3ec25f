package dev.muster.leader;

import java.time.Duration;
import java.util.Optional;

/** The view of a node that knows of no election: nobody leads, and it does not either. */
public final class NobodyLeads implements Leadership {
    private final LeaderRole role;

    public NobodyLeads(LeaderRole role) {
        this.role = role;
    }

    @Override
    public LeaderRole role() {
        return role;
    }

    @Override
    public Optional<LeaderTerm> current() {
        return Optional.empty();
    }

    @Override
    public <T> T fenced(FencedWork<T> work) {
        throw new StaleLeader("this node does not lead " + role.text());
    }

    @Override
    public Duration vacantFor() {
        return Duration.ofDays(365);
    }
}
