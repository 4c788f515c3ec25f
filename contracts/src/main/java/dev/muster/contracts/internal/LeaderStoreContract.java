package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.LeaderConfig;
import dev.muster.config.LeaderConfig.Strategy;
import dev.muster.internal.leader.LeaderStore;
import dev.muster.internal.leader.LeaderStore.Candidate;
import dev.muster.internal.leader.LeaderStore.RoleRow;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobQuery;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.StaleLeader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One leader per role at a time, and no write of one whose term is over. */
abstract class LeaderStoreContract extends PortContract {
    private static final LeaderRole ROLE = LeaderRole.SCHEDULER;

    @BeforeEach
    void stopTime() {
        stopClock();
    }

    /** Writes a job inside a transaction, as a leader does. */
    private void mark(Connection tx) throws SQLException {
        store().jobs().enqueue(tx, List.of(JobDraft.plain("mark")));
    }

    /** How many of these jobs were committed. */
    private int marks() {
        return store().jobReader().list(JobQuery.all()).size();
    }

    private static Candidate candidate(String node, Strategy strategy) {
        LeaderConfig config =
                new LeaderConfig(strategy, Duration.ofSeconds(5), Duration.ofSeconds(15), Duration.ofSeconds(5));
        return new Candidate(node, UUID.randomUUID(), Set.of(LeaderRole.values()), config);
    }

    private static RoleRow standing(LeaderStore store, Candidate who) {
        return store.check(who).stream()
                .filter(standing -> standing.role() == ROLE)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource
    void theFirstWinsTheSecondDoesNotAndDoesAfterTheRelease(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        LeaderStore two = anotherNode().leaders();
        Candidate a = candidate("a", strategy);
        Candidate b = candidate("b", strategy);

        assertThat(standing(one, a).winnable()).isTrue();
        LeaderTerm first = one.takeOver(a, ROLE).orElseThrow();
        assertThat(first.node()).isEqualTo("a");
        assertThat(first.term()).isEqualTo(1);

        RoleRow seen = standing(two, b);
        assertThat(seen.winnable()).isFalse();
        assertThat(seen.live()).isTrue();
        assertThat(seen.holder()).isEqualTo(first);
        assertThat(two.takeOver(b, ROLE)).isEmpty();
        assertThat(standing(one, a).mine()).isTrue();

        one.release(a, Set.of(ROLE));
        assertThat(standing(two, b).winnable()).isTrue();
        assertThat(two.takeOver(b, ROLE).orElseThrow().term()).isEqualTo(2);
        assertThat(standing(one, a).mine()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void theRolesAreIndependent(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        LeaderStore two = anotherNode().leaders();
        Candidate a = candidate("a", strategy);
        Candidate b = new Candidate(
                "b",
                UUID.randomUUID(),
                Set.of(LeaderRole.LOG_COMPACTOR),
                candidate("b", strategy).config());
        two.check(b);

        assertThat(one.takeOver(a, LeaderRole.SCHEDULER)).isPresent();
        assertThat(two.takeOver(b, LeaderRole.LOG_COMPACTOR)).isPresent();
        assertThat(one.takeOver(a, LeaderRole.METRICS_AGGREGATOR)).isPresent();
        assertThat(one.check(a).stream().filter(RoleRow::mine)).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource
    void aLeaseThatRanOutIsTakenOverAndNotRenewed(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        LeaderStore two = anotherNode().leaders();
        Candidate a = candidate("a", strategy);
        Candidate b = candidate("b", strategy);
        LeaderTerm first = one.takeOver(a, ROLE).orElseThrow();

        advance(Duration.ofSeconds(14));
        assertThat(standing(one, a).mine()).as("renewed in time").isTrue();
        advance(Duration.ofSeconds(14));
        assertThat(standing(two, b).winnable()).as("it was renewed").isFalse();
        advance(Duration.ofSeconds(2));

        assertThat(standing(two, b).winnable()).isTrue();
        LeaderTerm second = two.takeOver(b, ROLE).orElseThrow();
        assertThat(second.term()).isEqualTo(first.term() + 1);
        assertThatThrownBy(() -> one.fenced(first, Duration.ofSeconds(7), this::marked))
                .isInstanceOf(StaleLeader.class);
        assertThat(marks()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aFencedWriteStandsWhileTheTermDoes(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        Candidate a = candidate("a", strategy);
        LeaderTerm term = one.takeOver(a, ROLE).orElseThrow();

        one.fenced(term, Duration.ofSeconds(7), this::marked);
        one.unfenced(this::marked);
        assertThat(marks()).isEqualTo(2);

        LeaderTerm otherTimeline = new LeaderTerm(ROLE, "a", a.incarnation(), term.timeline() + 1, term.term());
        assertThatThrownBy(() -> one.fenced(otherTimeline, Duration.ofSeconds(7), this::marked))
                .isInstanceOf(StaleLeader.class);
        LeaderTerm otherProcess = new LeaderTerm(ROLE, "a", UUID.randomUUID(), term.timeline(), term.term());
        assertThatThrownBy(() -> one.fenced(otherProcess, Duration.ofSeconds(7), this::marked))
                .isInstanceOf(StaleLeader.class);
        one.release(a, Set.of(ROLE));
        assertThatThrownBy(() -> one.fenced(term, Duration.ofSeconds(7), this::marked))
                .isInstanceOf(StaleLeader.class);
        LeaderTerm next = one.takeOver(a, ROLE).orElseThrow();
        assertThatThrownBy(() -> one.fenced(term, Duration.ofSeconds(7), this::marked))
                .as("an earlier term of the same leader")
                .isInstanceOf(StaleLeader.class);
        assertThat(marks()).isEqualTo(2);
        one.fenced(next, Duration.ofSeconds(7), this::marked);
        assertThat(marks()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource
    void anErrorInTheWorkLeavesNothing(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        LeaderTerm term = one.takeOver(candidate("a", strategy), ROLE).orElseThrow();

        assertThatThrownBy(() -> one.fenced(term, Duration.ofSeconds(7), tx -> {
                    mark(tx);
                    throw new AssertionError("out of luck");
                }))
                .isInstanceOf(AssertionError.class);

        assertThat(marks()).isZero();
    }

    /** The leader renews while its own fenced transaction is open; another node cannot take over meanwhile. */
    @ParameterizedTest
    @EnumSource
    void anOpenFencedTransactionHoldsUpATakeOverAndNoRenewal(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        LeaderStore two = anotherNode().leaders();
        Candidate a = candidate("a", strategy);
        Candidate b = candidate("b", strategy);
        LeaderTerm term = one.takeOver(a, ROLE).orElseThrow();

        one.fenced(term, Duration.ofSeconds(7), tx -> {
            mark(tx);
            assertThat(standing(one, a).mine()).isTrue();
            advance(Duration.ofSeconds(40));
            assertThat(two.takeOver(b, ROLE)).isEmpty();
            return null;
        });
        assertThat(marks()).isEqualTo(1);

        assertThat(two.takeOver(b, ROLE)).isPresent();
    }

    @ParameterizedTest
    @EnumSource
    void aRenewalInTheLastMomentBeatsATakeOver(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        LeaderStore two = anotherNode().leaders();
        Candidate a = candidate("a", strategy);
        Candidate b = candidate("b", strategy);
        one.takeOver(a, ROLE).orElseThrow();
        advance(Duration.ofSeconds(14));
        standing(two, b);

        assertThat(standing(one, a).mine()).isTrue();

        advance(Duration.ofSeconds(2));
        assertThat(two.takeOver(b, ROLE)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void aSessionThatEndedIsNoticedBeforeTheLeaseEndsWhereLocksAreUsed(Strategy strategy) {
        Store ending = anotherNode();
        LeaderStore two = anotherNode().leaders();
        LeaderTerm first =
                ending.leaders().takeOver(candidate("a", strategy), ROLE).orElseThrow();
        Candidate b = candidate("b", strategy);

        kill(ending);

        assertThat(standing(two, b).winnable()).isEqualTo(strategy == Strategy.ADVISORY);
        Optional<LeaderTerm> second = two.takeOver(b, ROLE);
        assertThat(second.isPresent()).isEqualTo(strategy == Strategy.ADVISORY);
        second.ifPresent(term -> assertThat(term.term()).isEqualTo(first.term() + 1));
    }

    @ParameterizedTest
    @EnumSource
    void aNodeThatOnlyLooksSeesAndTakesNothing(Strategy strategy) {
        LeaderStore one = anotherNode().leaders();
        LeaderStore two = anotherNode().leaders();
        Candidate observer = new Candidate(
                "o", UUID.randomUUID(), Set.of(), candidate("o", strategy).config());
        assertThat(standing(two, observer).live()).isFalse();
        Candidate a = candidate("a", strategy);
        LeaderTerm term = one.takeOver(a, ROLE).orElseThrow();

        RoleRow seen = standing(two, observer);

        assertThat(seen.holder()).isEqualTo(term);
        assertThat(seen.live()).isTrue();
        assertThat(seen.strategy()).isEqualTo(strategy);
    }

    @ParameterizedTest
    @EnumSource
    void theReleaseOfARoleWakesTheOtherCandidates(Strategy strategy) throws InterruptedException {
        LeaderStore one = anotherNode().leaders();
        LeaderStore two = anotherNode().leaders();
        Candidate a = candidate("a", strategy);
        one.takeOver(a, ROLE).orElseThrow();
        two.check(candidate("b", strategy));
        CountDownLatch woken = new CountDownLatch(1);
        two.onVacancy(woken::countDown);

        one.release(a, Set.of(ROLE));

        assertThat(woken.await(1, TimeUnit.MINUTES)).isTrue();
    }

    private Object marked(Connection tx) throws SQLException {
        mark(tx);
        return "marked";
    }
}
