package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.internal.cluster.NodeStore.Joined;
import dev.muster.internal.cluster.NodeStore.MarkedNode;
import dev.muster.internal.cluster.NodeStore.OverdueNode;
import dev.muster.internal.cluster.NodeStore.OverdueWork;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.job.JobInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Who is alive, who may say so, and what becomes of the jobs of a node that is not. Time passes by moving the database's clock; nodes that
 * live through it send heartbeats.
 */
abstract class NodeStoreContract extends PortContract {
    static final SilenceLimits LIMITS =
            new SilenceLimits(Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(7));
    static final Duration STALE = Duration.ofSeconds(12);
    static final Duration DEAD = Duration.ofSeconds(16);
    static final NodeLoad LOAD =
            new NodeLoad(2, 3, 0.5, 1_000, List.of(new ExecutorInfo("default", "threads", 16, 3, 1)));

    record Node(String id, UUID incarnation) {}

    NodeStore nodes() {
        return store().nodes();
    }

    Node join(String id) {
        Node node = new Node(id, UUID.randomUUID());
        assertThat(nodes().join(Nodes.registration(id, node.incarnation()), NodeStatus.ACTIVE, null, null))
                .isPresent();
        return node;
    }

    Optional<Joined> joinAgain(Node before, UUID incarnation) {
        return nodes().join(
                        Nodes.registration(before.id(), incarnation), NodeStatus.ACTIVE, before.incarnation(), null);
    }

    HeartbeatAnswer beat(Node node, Duration interval) {
        return nodes().heartbeat(node.id(), node.incarnation(), LOAD, interval, Nodes.unbroken(Duration.ofDays(1)));
    }

    HeartbeatAnswer beat(Node node) {
        return beat(node, Nodes.INTERVAL);
    }

    /** Time passes, and these nodes were in touch with the database all the while. */
    void pass(Duration time, Node... alive) {
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

    OverdueWork work(Node judge) {
        return nodes().overdueWork(judge.id(), LIMITS);
    }

    /** Does all that is overdue about nodes. */
    List<MarkedNode> judgeAll(Node judge) {
        List<MarkedNode> marked = new ArrayList<>();
        for (String overdue : work(judge).overdue()) {
            OverdueNode judgement =
                    store().leaders().unfenced(tx -> nodes().markOverdue(tx, judge.id(), LIMITS, overdue));
            marked.addAll(judgement.marked().stream().toList());
        }
        return marked;
    }

    NodeStatus status(Node node) {
        return nodes().list().stream()
                .filter(info -> info.id().equals(node.id()))
                .findFirst()
                .orElseThrow()
                .status();
    }

    ClaimedJob claim(Node node) {
        store().jobs().enqueue(List.of(JobDraft.plain("a")));
        ClaimFilter filter = new ClaimFilter(node.id(), null, Set.of(), Set.of("a"), Nodes.LEASE);
        return store().claims()
                .openClaims(filter)
                .exchange(List.of(), 1)
                .claimed()
                .get(0);
    }

    ClaimedJob running(Node node, int maxAttempts, int maxCrashes) {
        ClaimedJob job = claim(node);
        store().claims().markRunning(List.of(new Start(job.claim(), maxAttempts, maxCrashes, 0)));
        return job;
    }

    JobInfo job(ClaimedJob claimed) {
        return store().jobReader().find(claimed.id()).orElseThrow();
    }
}
