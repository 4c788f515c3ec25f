package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer.RowState;
import dev.muster.internal.cluster.NodeStore.MarkedNode;
import dev.muster.internal.cluster.NodeStore.OverdueNode;
import dev.muster.internal.cluster.NodeStore.OverdueWork;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which silent nodes are declared dead, by whom, and what becomes of what they held. */
abstract class NodeVerdictContract extends NodeStoreContract {
    private OverdueNode judge(Node judge, Node overdue) {
        return store().leaders().unfenced(tx -> nodes().markOverdue(tx, judge.id(), LIMITS, overdue.id()));
    }

    @BeforeEach
    void stopTime() {
        stopClock();
    }

    @Test
    void everyNodeIsJudgedByItsOwnInterval() {
        Node judge = join("judge");
        Node quick = join("quick");
        Node slow = join("slow");
        beat(slow, Duration.ofSeconds(60));

        pass(STALE, judge);
        assertThat(judgeAll(judge)).extracting(MarkedNode::id).containsExactly("quick");
        assertThat(status(quick)).isEqualTo(NodeStatus.STALE);
        assertThat(status(slow)).isEqualTo(NodeStatus.ACTIVE);

        pass(Duration.ofSeconds(4), judge);
        judgeAll(judge);
        assertThat(status(quick)).isEqualTo(NodeStatus.DEAD);
        assertThat(status(slow)).isEqualTo(NodeStatus.ACTIVE);

        pass(Duration.ofSeconds(110), judge);
        judgeAll(judge);
        assertThat(status(slow)).isEqualTo(NodeStatus.STALE);
        assertThat(beat(slow).status()).isEqualTo(NodeStatus.ACTIVE);
        assertThat(judgeAll(judge)).isEmpty();
    }

    @Test
    void aNodeThatDrainsStaysSoUntilItIsDead() {
        Node judge = join("judge");
        Node a = join("a");
        assertThat(nodes().drain("a")).isTrue();

        pass(STALE, judge);
        assertThat(judgeAll(judge)).isEmpty();
        assertThat(beat(a).status()).isEqualTo(NodeStatus.DRAINING);
        pass(DEAD, judge);
        judgeAll(judge);

        assertThat(status(a)).isEqualTo(NodeStatus.DEAD);
        assertThat(nodes().drain("a")).as("it is dead").isFalse();
        assertThat(nodes().drain("nobody")).isFalse();
    }

    @Test
    void noNodeJudgesItself() {
        Node judge = join("judge");
        Node a = join("a");
        pass(Duration.ofMinutes(1), judge);

        assertThat(work(judge).overdue()).containsExactly("a");
        assertThat(work(a).overdue()).isEmpty();
        assertThat(judge(a, a).marked()).isEmpty();
        assertThat(status(a)).isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void theClaimsOfADeadNodeAreReleasedInTheTransactionThatDeclaresItDead() throws Exception {
        Node judge = join("judge");
        Node a = join("a");
        ClaimedJob buffered = claim(a);
        ClaimedJob running = running(a, 3, 5);
        ClaimedJob once = running(a, 1, 0);
        ClaimedJob others = running(judge, 3, 5);
        pass(DEAD, judge);

        try (Connection tx = transaction()) {
            OverdueNode judgement = nodes().markOverdue(tx, "judge", LIMITS, "a");
            assertThat(judgement.released())
                    .extracting(Recovered::id)
                    .containsExactlyInAnyOrder(buffered.id(), running.id(), once.id());
            assertThat(judgement.released()).extracting(Recovered::node).containsOnly("a");
            tx.rollback();
        }
        assertThat(status(a)).isEqualTo(NodeStatus.ACTIVE);
        assertThat(job(running).status()).isEqualTo(JobStatus.RUNNING);

        assertThat(judgeAll(judge)).extracting(MarkedNode::now).containsExactly(NodeStatus.DEAD);

        assertThat(job(buffered).status()).isEqualTo(JobStatus.PENDING);
        assertThat(job(buffered).crashes()).isZero();
        assertThat(job(running).status()).isEqualTo(JobStatus.PENDING);
        assertThat(job(running).crashes()).isEqualTo(1);
        assertThat(job(once).status()).isEqualTo(JobStatus.FAILED);
        assertThat(job(others).status()).isEqualTo(JobStatus.RUNNING);
        assertThat(beat(a).rowState()).isEqualTo(RowState.DEAD);
        assertThat(judgeAll(judge)).isEmpty();
    }

    @Test
    void aNodeThatWasHeardOfSinceItWasFoundOverdueIsNotMarked() {
        Node judge = join("judge");
        Node a = join("a");
        pass(DEAD, judge);
        assertThat(work(judge).overdue()).containsExactly("a");

        beat(a);

        assertThat(judge(judge, a).marked()).isEmpty();
        assertThat(status(a)).isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void aClaimIsAsGoodAsAHeartbeat() {
        Node judge = join("judge");
        Node a = join("a");
        pass(DEAD, judge);
        ClaimedJob job = claim(a);

        assertThat(judgeAll(judge)).isEmpty();
        assertThat(status(a)).isEqualTo(NodeStatus.ACTIVE);

        pass(DEAD, judge);
        judgeAll(judge);
        assertThat(status(a)).isEqualTo(NodeStatus.DEAD);
        assertThat(job(job).status()).isEqualTo(JobStatus.PENDING);
    }

    @Test
    void aJudgeThatWasNotHeardOfJustNowMarksNobody() {
        Node judge = join("judge");
        Node a = join("a");
        pass(Duration.ofMinutes(1), judge);
        advance(Duration.ofSeconds(8));

        assertThat(work(judge).inTouch()).isEmpty();
        assertThat(judge(judge, a).marked()).isEmpty();
        assertThat(status(a)).isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void afterAnOutageEveryNodeHasTheDeadThresholdToComeBack() {
        Node a = join("a");
        advance(Duration.ofMinutes(10));
        Node judge = join("judge");

        pass(Duration.ofSeconds(8), judge);
        assertThat(judgeAll(judge)).isEmpty();
        pass(Duration.ofSeconds(4), judge);
        judgeAll(judge);
        assertThat(status(a)).isEqualTo(NodeStatus.STALE);
        pass(Duration.ofSeconds(4), judge);
        judgeAll(judge);
        assertThat(status(a)).isEqualTo(NodeStatus.DEAD);
    }

    /** Of the same process; a new one under its id has not been told to drain. */
    @Test
    void anOrderToDrainOutlivesTheVerdict() {
        Node judge = join("judge");
        Node first = join("a");
        nodes().drain("a");
        pass(DEAD, judge);
        judgeAll(judge);
        UUID second = UUID.randomUUID();
        assertThat(joinAgain(first, second).orElseThrow().status()).isEqualTo(NodeStatus.DRAINING);
        assertThat(joinAgain(first, second).orElseThrow().status())
                .as("repeated because the answer was lost")
                .isEqualTo(NodeStatus.DRAINING);

        pass(DEAD, judge);
        judgeAll(judge);
        assertThat(nodes().join(Nodes.registration("a", UUID.randomUUID()), NodeStatus.ACTIVE, null, null)
                        .orElseThrow()
                        .status())
                .isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void theRowsOfDeadNodesAreRemovedAfterAnHour() {
        Node judge = join("judge");
        join("a");
        pass(DEAD, judge);
        judgeAll(judge);
        pass(Duration.ofSeconds(3_400), judge);
        assertThat(work(judge).isDue(Duty.REMOVE_DEAD_NODES)).isFalse();
        assertThat(store().leaders().<List<String>>unfenced(nodes()::removeDead))
                .isEmpty();

        pass(Duration.ofSeconds(300), judge);
        assertThat(work(judge).isDue(Duty.REMOVE_DEAD_NODES)).isTrue();
        assertThat(store().leaders().<List<String>>unfenced(nodes()::removeDead))
                .containsExactly("a");
        assertThat(nodes().list()).extracting(NodeInfo::id).containsExactly("judge");
    }

    @Test
    void theOverdueWorkSaysWhenTheNextNodeIsOverdue() {
        assertThat(nodes().overdueWork("nobody", LIMITS))
                .as("asked by a node that is not there")
                .satisfies(work -> {
                    assertThat(work.overdue()).isEmpty();
                    assertThat(work.nextOverdue()).isEmpty();
                    assertThat(work.inTouch()).isEmpty();
                    assertThat(work.duties()).isEmpty();
                });
        Node judge = join("judge");
        join("a");
        pass(Duration.ofSeconds(1), judge);

        OverdueWork work = work(judge);

        assertThat(work.overdue()).isEmpty();
        assertThat(work.nextOverdue().orElseThrow()).isBetween(Duration.ZERO, Duration.ofSeconds(9));
    }

    @Test
    void theOverdueWorkSaysThatALeaseRanOut() {
        Node judge = join("judge");
        claim(judge);
        assertThat(work(judge).isDue(Duty.RECOVER_LEASES)).isFalse();

        pass(Nodes.LEASE.plusSeconds(1), judge);

        assertThat(work(judge).isDue(Duty.RECOVER_LEASES)).isTrue();
    }

    @Test
    void theOverdueWorkSaysThatJobsExpiredOrWait() {
        Node judge = join("judge");
        store().recovery().searchOverdue();
        assertThat(work(judge)).satisfies(nothing -> {
            assertThat(nothing.isDue(Duty.EXPIRE_JOBS)).isFalse();
            assertThat(nothing.isDue(Duty.RESOLVE_WAITING)).isFalse();
        });
        JobId late = store().jobs()
                .enqueue(List.of(
                        JobDraft.named("a").expiresIn(Duration.ofSeconds(1)).job()))
                .get(0);
        store().jobs()
                .enqueue(List.of(JobDraft.named("b")
                        .id(idOfNow())
                        .dependsOn(List.of(late))
                        .job()));

        pass(Duration.ofSeconds(2), judge);

        assertThat(work(judge).isDue(Duty.EXPIRE_JOBS)).isTrue();
        assertThat(work(judge).isDue(Duty.RESOLVE_WAITING)).isTrue();
    }
}
