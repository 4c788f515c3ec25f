package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.NodeRole;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer.RowState;
import dev.muster.internal.cluster.NodeStore.Joined;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.cluster.OtherWorkers;
import dev.muster.internal.function.FunctionNodeStore;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobHandler;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How nodes join, send heartbeats, change their status and leave. */
abstract class NodeMembershipContract extends NodeStoreContract {
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
            assertThat(node.functions()).isEqualTo(Nodes.FUNCTIONS);
        });
        assertThat(store().port(FunctionNodeStore.class).list())
                .extracting(NodeInfo::id)
                .containsExactly("a");
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
    void aHandlerIsOpenToTenantsIfAllItsNodesOpenIt() {
        JobHandler open = JobHandler.named("a").tenants().queue("open").run((context, none) -> {});
        JobHandler closed = JobHandler.named("a").queue("closed").run((context, none) -> {});
        Registration older = Nodes.worker("older", closed);
        nodes().join(older, NodeStatus.ACTIVE, null, null);
        nodes().join(Nodes.worker("newer", open), NodeStatus.ACTIVE, null, null);
        assertThat(nodes().published(null).get("a").tenants()).isFalse();

        nodes().leave("older", older.incarnation());

        assertThat(nodes().published(null).get("a").tenants()).isTrue();
        assertThat(nodes().published(null).get("a").options().queue()).isEqualTo("open");
        Registration newest = Nodes.worker("newest", closed);
        nodes().join(newest, NodeStatus.ACTIVE, null, null);
        assertThat(nodes().published(null).get("a").tenants()).isFalse();
    }
}
