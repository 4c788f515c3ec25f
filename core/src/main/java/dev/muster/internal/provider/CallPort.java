package dev.muster.internal.provider;

import dev.muster.Muster;
import dev.muster.cluster.NodeStatus;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.UUID;

/**
 * The port at which a node with the role {@code function} takes the calls that gateways forward to it.
 *
 * <pre>
 *   created ── open ──▶ open ── drain ──▶ draining ── close ──▶ closed
 * </pre>
 *
 * <p>It opens before the node has joined, so that the node's row has the address at which it listens, and refuses calls until the node is
 * active. It has a port of its own, at the address {@code node.advertise}, because callers must not reach it through the gateway: it
 * believes what a gateway has signed about a caller, and asks for no key.
 */
public interface CallPort extends AutoCloseable {

    /**
     * Listens.
     *
     * @param address with the port 0 for any free port
     * @return the port at which it listens
     * @throws BindException if this machine does not have the address, or the port is taken or not allowed
     */
    int open(Host host, InetSocketAddress address) throws BindException;

    /** Refuses further calls, which gateways then send to other nodes, and waits up to {@code gateway.drain_timeout} for those that run. */
    void drain();

    @Override
    void close();

    /** The node that the port belongs to. */
    interface Host {

        Muster muster();

        /** The node's status as it knows it itself, without asking the database. */
        NodeStatus status();

        /** The node's current incarnation. Calls that were signed for an earlier one are refused. */
        UUID incarnation();

        /** A call has arrived: the node sends heartbeats often, so that gateways know how it is. */
        void called();
    }
}
