package dev.muster.leader;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** A role whose leader a test appoints. Its fenced work gets no connection. */
public final class TestLeadership implements Leadership {
    private final LeaderRole role;
    private volatile boolean leads = true;
    private volatile boolean replaced;

    public TestLeadership(LeaderRole role) {
        this.role = role;
    }

    public void leads(boolean now) {
        leads = now;
    }

    /** Another node leads now, and this one learns of it with its next fenced work. */
    public void replace() {
        replaced = true;
    }

    @Override
    public LeaderRole role() {
        return role;
    }

    @Override
    public Optional<LeaderTerm> current() {
        return leads ? Optional.of(new LeaderTerm(role, "n1", new UUID(0, 0), 1, 1)) : Optional.empty();
    }

    @Override
    @SuppressWarnings("NullAway")
    public <T> T fenced(FencedWork<T> work) {
        if (replaced) {
            throw new StaleLeader("another node leads");
        }
        try {
            return work.run(null);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public Duration vacantFor() {
        return Duration.ZERO;
    }
}
