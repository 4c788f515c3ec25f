package dev.muster.internal.leader;

import static dev.muster.leader.LeaderRole.SCHEDULER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.config.LeaderConfig;
import dev.muster.config.MusterConfig;
import dev.muster.internal.cluster.DatabasePolls;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership.FencedWork;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node that cannot do a leader's duties stands aside, and comes back. */
class ElectionTest {
    private static final UUID INCARNATION = new UUID(0, 1);
    private static final LeaderConfig CONFIG = LeaderConfig.defaults();

    private final Rows rows = new Rows();
    private long nanos;
    private boolean fit = true;
    private final Clock clock = () -> nanos;
    private final Election election = new Election(
                    rows,
                    new Election.Self("a", () -> INCARNATION, Set.of(LeaderRole.values()), () -> {}),
                    CONFIG,
                    DatabasePolls.of(MusterConfig.defaults().cluster(), Duration.ofSeconds(1), clock),
                    TelemetryListeners.none(),
                    clock)
            .onlyWhile(() -> fit);

    /** The leaders' rows; nobody's lease ends. */
    private static final class Rows implements LeaderStore {
        final Map<LeaderRole, LeaderTerm> leaders = new EnumMap<>(LeaderRole.class);

        @Override
        public List<RoleRow> check(Candidate self) {
            return Stream.of(LeaderRole.values())
                    .map(role -> {
                        LeaderTerm holder = leaders.get(role);
                        boolean mine = holder != null && holder.node().equals(self.node());
                        return new RoleRow(
                                role,
                                holder,
                                holder != null,
                                mine,
                                holder == null,
                                CONFIG.strategy(),
                                holder == null ? Duration.ZERO : CONFIG.lease(),
                                Duration.ZERO);
                    })
                    .toList();
        }

        @Override
        public Optional<LeaderTerm> takeOver(Candidate self, LeaderRole role) {
            return Optional.of(leads(self.node(), role));
        }

        LeaderTerm leads(String node, LeaderRole role) {
            LeaderTerm term = new LeaderTerm(role, node, INCARNATION, 1, 1);
            leaders.put(role, term);
            return term;
        }

        @Override
        public void release(Candidate self, Set<LeaderRole> roles) {
            leaders.values().removeIf(term -> term.node().equals(self.node()));
        }

        @Override
        public <T> T fenced(LeaderTerm term, Duration limit, FencedWork<T> work) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T unfenced(FencedWork<T> work) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onVacancy(Runnable listener) {}
    }

    /** A look every five seconds, for so long. */
    private boolean leadsAfter(Duration time) {
        boolean leads = false;
        long end = nanos + time.toNanos();
        while (nanos < end) {
            nanos += CONFIG.checkInterval().toNanos();
            leads = election.tryNow(SCHEDULER);
        }
        return leads;
    }

    private void standAside() {
        fit = true;
        assertThat(leadsAfter(CONFIG.lease().multipliedBy(2))).isTrue();
        fit = false;
        assertThat(leadsAfter(CONFIG.checkInterval())).isFalse();
        assertThat(rows.leaders).isEmpty();
    }

    @Test
    void whoStoodAsideLeadsAgainAsSoonAsItIsFitAndNobodyElseLeads() {
        standAside();
        assertThat(leadsAfter(Duration.ofSeconds(10))).as("still unfit").isFalse();

        fit = true;

        assertThat(leadsAfter(CONFIG.checkInterval()))
                .as("long before the minute is over")
                .isTrue();
    }

    @Test
    void whoStoodAsideLeavesTheRolesToAnotherThatLeads() {
        standAside();
        for (LeaderRole role : LeaderRole.values()) {
            rows.leads("b", role);
        }
        fit = true;
        assertThat(leadsAfter(Duration.ofSeconds(30))).isFalse();
        rows.leaders.clear();
        assertThat(leadsAfter(Duration.ofSeconds(10))).isTrue();
    }
}
