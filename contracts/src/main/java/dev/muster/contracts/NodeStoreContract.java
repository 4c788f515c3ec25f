package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore;
import dev.muster.cluster.NodeStore.Duty;
import dev.muster.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.cluster.NodeStore.HeartbeatAnswer.RowState;
import dev.muster.cluster.NodeStore.Joined;
import dev.muster.cluster.NodeStore.Load;
import dev.muster.cluster.NodeStore.MarkedNode;
import dev.muster.cluster.NodeStore.OverdueNode;
import dev.muster.cluster.NodeStore.OverdueWork;
import dev.muster.cluster.NodeStore.SilenceLimits;
import dev.muster.cluster.OtherWorkers;
import dev.muster.config.NodeRole;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimStore.Start;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.RecoveryStore.Recovered;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Who is alive, who may say so, and what becomes of the jobs of a node that is not. Time passes by moving the database's clock; nodes that
 * live through it send heartbeats.
 */
abstract class NodeStoreContract extends PortContract {
    private static final SilenceLimits LIMITS =
            new SilenceLimits(Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(7));
    private static final Duration STALE = Duration.ofSeconds(12);
    private static final Duration DEAD = Duration.ofSeconds(16);
    private static final Load LOAD = new Load(2, 3, 0.5, 1_000);

    private record Node(String id, UUID incarnation) {}

    private NodeStore nodes() {
        return store().nodes();
    }

    private Node join(String id) {
        Node node = new Node(id, UUID.randomUUID());
        assertThat(nodes().join(Nodes.registration(id, node.incarnation()), NodeStatus.ACTIVE, null, null))
                .isPresent();
        return node;
    }

    private Optional<Joined> joinAgain(Node before, UUID incarnation) {
        return nodes().join(
                        Nodes.registration(before.id(), incarnation), NodeStatus.ACTIVE, before.incarnation(), null);
    }

    private HeartbeatAnswer beat(Node node, Duration interval) {
        return nodes().heartbeat(node.id(), node.incarnation(), LOAD, interval, Nodes.unbroken(Duration.ofDays(1)));
    }

    private HeartbeatAnswer beat(Node node) {
        return beat(node, Nodes.INTERVAL);
    }

    /** Time passes, and these nodes were in touch with the database all the while. */
    private void pass(Duration time, Node... alive) {
        advance(time);
        for (Node node : alive) {
            nodes().heartbeat(
                            node.id(),
                            node.incarnation(),
                            LOAD,
                            Nodes.INTERVAL,
                            Nodes.since(true, time, Duration.ofSeconds(5)));
        }
    }

    private OverdueWork work(Node judge) {
        return nodes().overdueWork(judge.id(), LIMITS);
    }

    private OverdueNode judge(Node judge, Node overdue) {
        return store().leaders().unfenced(tx -> nodes().markOverdue(tx, judge.id(), LIMITS, overdue.id()));
    }

    /** Does all that is overdue about nodes. */
    private List<MarkedNode> judgeAll(Node judge) {
        List<MarkedNode> marked = new ArrayList<>();
        for (String overdue : work(judge).overdue()) {
            OverdueNode judgement =
                    store().leaders().unfenced(tx -> nodes().markOverdue(tx, judge.id(), LIMITS, overdue));
            marked.addAll(judgement.marked().stream().toList());
        }
        return marked;
    }

    private NodeStatus status(Node node) {
        return nodes().list().stream()
                .filter(info -> info.id().equals(node.id()))
                .findFirst()
                .orElseThrow()
                .status();
    }

    private ClaimedJob claim(Node node) {
        store().jobs().enqueue(List.of(JobDraft.plain("a")));
        ClaimScope scope = new ClaimScope(node.id(), null, Set.of(), Set.of("a"), Nodes.LEASE);
        return store().claims()
                .openClaims(scope)
                .exchange(List.of(), 1)
                .claimed()
                .get(0);
    }

    private ClaimedJob running(Node node, int maxAttempts, int maxCrashes) {
        ClaimedJob job = claim(node);
        store().claims().markRunning(List.of(new Start(job.claim(), maxAttempts, maxCrashes, 0)));
        return job;
    }

    private JobInfo job(ClaimedJob claimed) {
        return store().jobReader().find(claimed.id()).orElseThrow();
    }

    @Test
    void aHeartbeatTellsTheLoadAndTheIntervalAndWhetherMembersHaveChanged() {
        Node a = join("a");

        HeartbeatAnswer answer = beat(a, Duration.ofSeconds(20));

        assertThat(answer.rowState()).isEqualTo(RowState.OWN);
        assertThat(nodes().list()).singleElement().satisfies(node -> {
            assertThat(node.heartbeatInterval()).isEqualTo(Duration.ofSeconds(20));
            assertThat(node.currentConnections()).isEqualTo(2);
            assertThat(node.currentJobs()).isEqualTo(3);
            assertThat(node.cpuUsage()).isEqualTo(0.5);
            assertThat(node.memoryUsage()).isEqualTo(1_000);
            assertThat(node.roles()).containsExactly(NodeRole.values());
        });
        assertThat(beat(a).members()).isEqualTo(answer.members());
        Node b = join("b");
        assertThat(beat(a).members()).isNotEqualTo(answer.members());
        nodes().leave("b", b.incarnation());
        assertThat(beat(a).members()).isEqualTo(answer.members());
    }

    @Test
    void anOlderIncarnationIsToldThatItsRowIsTakenAndCanDoNothing() {
        Node older = join("a");
        ClaimedJob before = claim(older);
        Node newer = join("a");
        ClaimedJob held = claim(newer);

        assertThat(beat(older).rowState()).isEqualTo(RowState.TAKEN);
        assertThat(beat(newer).rowState()).isEqualTo(RowState.OWN);
        assertThat(nodes().leave("a", older.incarnation())).isEmpty();
        assertThat(nodes().move("a", older.incarnation(), Set.of(NodeStatus.ACTIVE), NodeStatus.DRAINING))
                .isFalse();
        assertThat(status(newer)).isEqualTo(NodeStatus.ACTIVE);
        assertThat(job(held).status()).isEqualTo(JobStatus.CLAIMED);
        assertThat(before.claim()).isNotEqualTo(held.claim());
        assertThat(joinAgain(older, UUID.randomUUID()))
                .as("joining again takes over nothing but its own row")
                .isEmpty();
    }

    @Test
    void aNodeWithoutARowIsToldToJoin() {
        assertThat(beat(new Node("nobody", UUID.randomUUID())).rowState()).isEqualTo(RowState.DEAD);
        Node a = join("a");
        nodes().leave("a", a.incarnation());
        assertThat(beat(a).rowState()).isEqualTo(RowState.DEAD);
    }

    @Test
    void aNodeMovesOnlyFromTheStatusesItNames() {
        Node a = join("a");

        assertThat(nodes().move("a", a.incarnation(), Set.of(NodeStatus.JOINING), NodeStatus.DRAINING))
                .isFalse();
        assertThat(status(a)).isEqualTo(NodeStatus.ACTIVE);
        assertThat(nodes().move(
                                "a",
                                a.incarnation(),
                                Set.of(NodeStatus.JOINING, NodeStatus.ACTIVE),
                                NodeStatus.DRAINING))
                .isTrue();
        assertThat(status(a)).isEqualTo(NodeStatus.DRAINING);
    }

    /** Its handlers have ended in order: no crash. But what may run only once has run. */
    @Test
    void aNodeThatLeavesGivesBackWhatItHolds() {
        Node a = join("a");
        ClaimedJob buffered = claim(a);
        ClaimedJob running = running(a, 3, 5);
        ClaimedJob once = running(a, 1, 0);

        assertThat(nodes().leave("a", a.incarnation()))
                .extracting(Recovered::id)
                .containsExactlyInAnyOrder(buffered.id(), running.id(), once.id());

        assertThat(nodes().list()).isEmpty();
        assertThat(job(buffered).status()).isEqualTo(JobStatus.PENDING);
        assertThat(job(running).status()).isEqualTo(JobStatus.PENDING);
        assertThat(job(running).crashes()).isZero();
        assertThat(job(once).status()).isEqualTo(JobStatus.FAILED);
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

    @Test
    void aHeartbeatTellsForHowLongTheNodeHasHadTheDatabase() {
        Node a = join("a");
        pass(Duration.ofSeconds(100), a);
        assertThat(work(a).inTouch().orElseThrow()).isBetween(Duration.ofSeconds(100), Duration.ofSeconds(120));

        nodes().heartbeat(
                        "a",
                        a.incarnation(),
                        LOAD,
                        Nodes.INTERVAL,
                        Nodes.since(false, Duration.ZERO, Duration.ofSeconds(5)));
        assertThat(work(a).inTouch().orElseThrow()).as("its contact had broken").isLessThan(Duration.ofSeconds(20));

        pass(Duration.ofSeconds(100), a);
        advance(Duration.ofSeconds(60));
        nodes().heartbeat(
                        "a",
                        a.incarnation(),
                        LOAD,
                        Nodes.INTERVAL,
                        Nodes.since(true, Duration.ofSeconds(5), Duration.ofSeconds(5)));
        assertThat(work(a).inTouch().orElseThrow())
                .as("somebody set the clock forward by 55 s")
                .isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void aProcessUnderTheSameIdTakesOverWhatTheOldOneHeld() {
        Node old = join("a");
        ClaimedJob buffered = claim(old);
        ClaimedJob running = running(old, 3, 5);

        Joined joined = nodes().join(Nodes.registration("a", UUID.randomUUID()), NodeStatus.JOINING, null, null)
                .orElseThrow();

        assertThat(joined.predecessor()).isNotNull();
        assertThat(joined.released()).extracting(Recovered::id).containsExactlyInAnyOrder(buffered.id(), running.id());
        assertThat(job(buffered).crashes()).isZero();
        assertThat(job(running).crashes()).isEqualTo(1);
        assertThat(job(running).status()).isEqualTo(JobStatus.PENDING);
        Joined fresh = nodes().join(Nodes.registration("new", UUID.randomUUID()), NodeStatus.JOINING, null, null)
                .orElseThrow();
        assertThat(fresh.predecessor()).isNull();
        assertThat(fresh.released()).isEmpty();
    }

    /** Its handlers were interrupted, not killed: no crash. But what may run only once has run. */
    @Test
    void aNodeThatJoinsAgainIsChargedNothing() {
        Node first = join("a");
        ClaimedJob buffered = claim(first);
        ClaimedJob running = running(first, 3, 5);
        ClaimedJob once = running(first, 1, 0);
        UUID second = UUID.randomUUID();

        assertThat(joinAgain(first, second).orElseThrow().released()).hasSize(3);
        assertThat(joinAgain(first, second))
                .as("repeated because the answer was lost")
                .isPresent();

        assertThat(job(buffered).status()).isEqualTo(JobStatus.PENDING);
        assertThat(job(running).status()).isEqualTo(JobStatus.PENDING);
        assertThat(job(running).crashes()).isZero();
        assertThat(job(once).status()).isEqualTo(JobStatus.FAILED);
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

    private void joinAsWorker(String id, boolean claiming) {
        assertThat(nodes().join(Nodes.worker(id, claiming), NodeStatus.ACTIVE, null, null))
                .isPresent();
    }

    @Test
    void aWorkerThatMustBeTheOnlyOneDoesNotJoinBesideAnother() {
        join("no_worker");
        joinAsWorker("a", true);

        assertThatThrownBy(() -> joinAsWorker("single", false)).isInstanceOf(OtherWorkers.class);

        assertThat(nodes().list()).extracting(NodeInfo::id).containsExactlyInAnyOrder("a", "no_worker");
    }

    @Test
    void noWorkerJoinsBesideOneThatMustBeTheOnlyOne() {
        joinAsWorker("single", false);

        assertThatThrownBy(() -> joinAsWorker("a", true)).isInstanceOf(OtherWorkers.class);

        join("no_worker");
        assertThat(nodes().list()).extracting(NodeInfo::id).containsExactlyInAnyOrder("no_worker", "single");
    }

    @Test
    void theHandlersOfLiveNodesAreKnown() {
        Node judge = join("judge");
        assertThat(nodes().published(null)).isEmpty();
        joinAsWorker("worker", true);
        assertThat(nodes().published(null)).containsOnlyKeys("a");

        pass(DEAD, judge);
        judgeAll(judge);

        assertThat(nodes().published(null)).as("its node is dead").isEmpty();
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
                .isEqualTo(new OverdueWork(List.of(), Optional.empty(), Optional.empty(), Set.of()));
        Node judge = join("judge");
        join("a");
        pass(Duration.ofSeconds(4), judge);

        OverdueWork work = work(judge);

        assertThat(work.overdue()).isEmpty();
        assertThat(work.nextOverdue().orElseThrow()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(6));
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
                .enqueue(List.of(JobDraft.named("b").dependsOn(List.of(late)).job()));

        pass(Duration.ofSeconds(2), judge);

        assertThat(work(judge).isDue(Duty.EXPIRE_JOBS)).isTrue();
        assertThat(work(judge).isDue(Duty.RESOLVE_WAITING)).isTrue();
    }
}
