package dev.muster.internal.assembly;

import dev.muster.config.NodeRole;
import dev.muster.internal.cluster.DatabasePolls;
import dev.muster.internal.leader.Election;
import dev.muster.internal.leader.UnelectedLeader;
import dev.muster.internal.node.Membership;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.WaitInterrupted;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** A node's part in the elections of leaders, and its view of each role. */
final class LeaderRoles {
    private final NodeResources node;
    private final Map<LeaderRole, Leadership> leaderships;
    final Election election;

    /** @param fit whether this node could do a leader's work */
    LeaderRoles(NodeResources node, Membership membership, DatabasePolls polls, BooleanSupplier fit) {
        this.node = node;
        this.election = new Election(
                        node.store.leaders(),
                        new Election.Self(
                                node.nodeId(), membership::incarnation, mayLead(node), membership::beatMoreOften),
                        node.config().leader(),
                        polls,
                        node.telemetry(),
                        node.clock())
                .onlyWhile(fit);
        this.leaderships = Arrays.stream(LeaderRole.values())
                .collect(Collectors.toMap(
                        role -> role,
                        role -> node.unelected
                                ? new UnelectedLeader(node.store.leaders(), role, node.nodeId())
                                : election.leadership(role)));
    }

    /** The leader roles that a node competes for. */
    private static Set<LeaderRole> mayLead(NodeResources node) {
        return node.config().node().has(NodeRole.SCHEDULER) && !node.unelected ? Set.of(LeaderRole.values()) : Set.of();
    }

    /** This node's view of a leader role. */
    Leadership leadership(LeaderRole role) {
        return leaderships.get(role);
    }

    /** Whether this node leads any role. */
    boolean leads() {
        return leaderships.values().stream().anyMatch(Leadership::isLeader);
    }

    /**
     * Waits until this node leads.
     *
     * @throws MusterException if it does not lead within the time in which a vanished leader would have been replaced
     */
    void awaitLeadership() {
        long deadline = System.nanoTime()
                + node.config()
                        .leader()
                        .lease()
                        .plus(node.config().leader().checkInterval())
                        .toNanos();
        while (!leadership(LeaderRole.SCHEDULER).isLeader()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new MusterException("node.mode = leader, but this node could not become the leader" + byWhom());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                throw new WaitInterrupted("leadership", e);
            }
        }
    }

    private String byWhom() {
        return node.store.nodes().leaders().stream()
                .filter(leader -> leader.role().equals(LeaderRole.SCHEDULER.text()) && leader.isHeld())
                .flatMap(leader -> leader.node().stream())
                .findFirst()
                .map(leader -> "; node " + leader + " leads")
                .orElse("");
    }
}
