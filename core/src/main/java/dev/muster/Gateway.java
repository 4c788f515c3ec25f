package dev.muster;

import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.health.Probes;
import dev.muster.telemetry.Telemetry;
import java.net.BindException;

/**
 * The HTTP server of a node with the gateway role.
 *
 * <pre>
 *   created ── open ──▶ open ── drain ──▶ draining ── close ──▶ closed
 * </pre>
 *
 * <p>It opens before the node has joined, so that the probes answer during a migration, and closes after the node has left. It answers
 * everything but the probes with 503 while the node is not active yet, and after it has drained.
 */
public interface Gateway extends AutoCloseable {

    /** Counts what the node does, for {@code /_api/metrics}. */
    Telemetry telemetry();

    /**
     * Listens at the address {@code gateway.host}.
     *
     * @param port 0 for any free port; without a meaning for a gateway that is part of another server
     * @return the port at which it listens; 0 for a gateway that is part of another server
     * @throws BindException if the port is taken or not allowed
     */
    int open(Host host, int port) throws BindException;

    /**
     * Whether requests get in: false if all places of {@code gateway.max_requests} have been taken for ten seconds, and none of them was given
     * back meanwhile. Then the node is not ready, so that load balancers send requests elsewhere.
     */
    boolean letsIn();

    /**
     * Waits for {@code gateway.drain_notice}, in which load balancers learn that this node is not ready any more, then refuses further
     * requests, and waits up to {@code gateway.drain_timeout} for those that it handles. The probes are answered on.
     */
    void drain();

    @Override
    void close();

    /** The node that the gateway belongs to. */
    interface Host {

        Muster muster();

        Probes probes();

        /** The node's status as it knows it itself, without asking the database. */
        NodeStatus status();

        /** What the node reports with each heartbeat, as it is now, without asking the database. */
        NodeLoad load();
    }
}
