package dev.muster.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.job.Lane;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.StaleLeader;
import dev.muster.leader.TestLeadership;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When lanes are searched, from where jobs are lifted, and how often nodes are told. */
class PriorityAgingTest {
    private static final Lane MAIL = new Lane("mail", "");
    private static final Lane FILES = new Lane("files", "");

    private final Store store = new Store();
    private final Told told = new Told();
    private final TestLeadership leadership = new TestLeadership(LeaderRole.SCHEDULER);
    private long nanos;
    private final PriorityAging aging = aging(Duration.ofMinutes(15));

    private PriorityAging aging(Duration ageAfter) {
        return new PriorityAging(store, leadership, told, ageAfter, () -> nanos);
    }

    /** Lifts one job in each lane, and moves each one on by one microsecond. */
    private final class Store implements AgingStore {
        Duration searchTakes = Duration.ZERO;
        boolean searchFails;
        int refusedRank = -1;
        int searches;
        List<RankedLane> found = List.of();
        final List<RankedLane> lifted = new ArrayList<>();

        @Override
        public List<RankedLane> findWaiting(Duration ageAfter) {
            searches++;
            nanos += searchTakes.toNanos();
            if (searchFails) {
                throw new MusterException("the search took too long");
            }
            return found;
        }

        @Override
        public Lifted lift(Connection tx, List<RankedLane> ranked, Duration ageAfter, int most) {
            assertThat(ranked)
                    .extracting(RankedLane::rank)
                    .containsOnly(ranked.get(0).rank());
            assertThat(most).isEqualTo(500);
            if (ranked.get(0).rank() == refusedRank) {
                throw new MusterException("the database refused a statement");
            }
            lifted.addAll(ranked);
            return new Lifted(
                    ranked.size(),
                    Set.copyOf(ranked.stream().map(RankedLane::lane).toList()),
                    ranked.stream()
                            .map(p -> new RankedLane(p.lane(), p.rank(), p.fromMicros() + 1))
                            .toList());
        }
    }

    private static final class Told implements ClusterCoordinator {
        final List<Set<Lane>> lanes = new ArrayList<>();

        @Override
        public void notifyNewWork(Set<Lane> of) {
            lanes.add(of);
        }

        @Override
        public void registerWakeupListener(Runnable listener) {}

        @Override
        public boolean isListening() {
            return true;
        }
    }

    private static AgingStore.RankedLane waiting(Lane lane, int rank, long from) {
        return new AgingStore.RankedLane(lane, rank, from);
    }

    private void pass() {
        Duration pause = aging.lead();
        nanos += pause.toNanos();
    }

    @Test
    void nodesAreToldOnceInAPass() {
        store.found = List.of(waiting(MAIL, 0, 5), waiting(FILES, 0, 6), waiting(MAIL, 25, 7));

        pass();

        assertThat(store.lifted).containsExactly(waiting(MAIL, 25, 7), waiting(MAIL, 0, 5), waiting(FILES, 0, 6));
        assertThat(told.lanes).containsExactly(Set.of(MAIL, FILES));
    }

    @Test
    void nobodyIsToldOfNothing() {
        pass();

        assertThat(store.searches).isEqualTo(1);
        assertThat(told.lanes).isEmpty();
    }

    @Test
    void nodesAreToldOfWhatWasLiftedBeforeAFailure() {
        store.found = List.of(waiting(MAIL, 0, 5), waiting(FILES, 25, 6));
        store.refusedRank = 0;

        assertThatThrownBy(this::pass).hasMessageContaining("refused");

        assertThat(told.lanes).containsExactly(Set.of(FILES));
    }

    @Test
    void aFastSearchIsMadeInEachPass() {
        store.found = List.of(waiting(MAIL, 0, 5));
        pass();
        pass();
        pass();

        assertThat(store.searches).isEqualTo(3);
        assertThat(store.lifted).containsExactly(waiting(MAIL, 0, 5), waiting(MAIL, 0, 5), waiting(MAIL, 0, 5));
    }

    @Test
    void afterASlowSearchPassesGoOnWhereTheLastOneEnded() {
        store.found = List.of(waiting(MAIL, 0, 5));
        store.searchTakes = Duration.ofSeconds(4);
        pass();
        pass();
        pass();

        assertThat(store.searches).isEqualTo(1);
        assertThat(store.lifted).containsExactly(waiting(MAIL, 0, 5), waiting(MAIL, 0, 6), waiting(MAIL, 0, 7));
        assertThat(told.lanes).hasSize(3);
        pass();
        assertThat(store.searches).isEqualTo(2);
    }

    @Test
    void aSearchThatFailsIsNotRepeatedAtOnceAndKeepsWhatIsKnown() {
        store.found = List.of(waiting(MAIL, 0, 5));
        pass();
        store.searchFails = true;
        store.searchTakes = Duration.ofSeconds(10);
        assertThatThrownBy(this::pass).hasMessageContaining("too long");

        pass();

        assertThat(store.searches).isEqualTo(2);
        assertThat(store.lifted).containsExactly(waiting(MAIL, 0, 5), waiting(MAIL, 0, 6));
    }

    @Test
    void aVerySlowSearchIsStillRepeated() {
        store.searchTakes = Duration.ofHours(1);
        pass();
        nanos += Duration.ofMinutes(10).toNanos();
        pass();

        assertThat(store.searches).isEqualTo(2);
    }

    @Test
    void aReplacedLeaderTellsNobody() {
        store.found = List.of(waiting(MAIL, 0, 5));
        leadership.replace();
        assertThatThrownBy(this::pass).isInstanceOf(StaleLeader.class);

        assertThat(store.lifted).isEmpty();
        assertThat(told.lanes).isEmpty();
    }

    @Test
    void passesAreATenthOfTheAgeApartWithinBounds() {
        assertThat(aging(Duration.ofSeconds(1)).lead()).isEqualTo(Duration.ofMillis(100));
        assertThat(aging(Duration.ofMinutes(1)).lead()).isEqualTo(Duration.ofSeconds(6));
        assertThat(aging(Duration.ofDays(1)).lead()).isEqualTo(Duration.ofSeconds(30));
    }
}
