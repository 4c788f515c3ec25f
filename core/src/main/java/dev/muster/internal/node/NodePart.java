package dev.muster.internal.node;

import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.runtime.Service;
import dev.muster.runtime.Health;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A part of a node, which starts, stops and reports its health with the node. The package description has its life cycle. */
public interface NodePart extends Service {

    /** Parts start in this order and stop in the reverse order. */
    enum Phase {
        /** What has to be done before this node does anything else: it publishes its crons, for example. */
        PREPARATION,
        /** What a node does for the cluster as a whole, such as a leader's work. A node whose id was taken stops only these. */
        CLUSTER,
        /** What runs the application's code: jobs and daemons. */
        WORK
    }

    Phase phase();

    @Override
    default void start() {}

    /** The parts of this node stop soon, one after the other. Tells the work to end, and does not wait for it. */
    default void prepareToStop() {}

    @Override
    default void stop() {}

    /** This node was declared dead or replaced, and has lost all it held. Stops its work and does not wait. May be called twice. */
    default void suspend() {}

    /** This node has joined again: works again after {@link #suspend}. */
    default void resume() {}

    @Override
    default Health health() {
        return Health.OK;
    }

    /**
     * This node keeps the cluster in order at the moment, and these duties are due; see {@link dev.muster.internal.cluster.NodeStore.Duty}. Must be
     * quick: what takes long belongs on a thread of the part's own.
     */
    default void due(Set<Duty> duties) {}

    /** Whether certain things work without which the node should get no traffic, by their names in {@code /_api/ready}. */
    default Map<String, Boolean> readiness() {
        return Map.of();
    }

    /** Why this node should get no traffic, although it is active and its database answers; empty if it should. */
    default Optional<String> whyNotReady() {
        return Optional.empty();
    }

    /** Whether this part holds anything that other nodes would have to take over if this node died. */
    default boolean holdsWork() {
        return false;
    }

    /**
     * For how long this part has been unable to do what a leader's node must do. If that is longer than a leader's lease, the node
     * gives up its roles for a while.
     */
    default Duration unfitToLeadFor() {
        return Duration.ZERO;
    }

    /**
     * Another node is declared dead in this transaction: releases what it held, so that others need not wait for its leases. Only parts of
     * the judging node are called. If that may be a node without this subsystem, of another service or an older version, what a node holds
     * must have a lease of its own too, as daemons have.
     *
     * @throws SQLException if that fails; then the node is not declared dead, and is judged again
     */
    default void release(Connection tx, DeadNode node) throws SQLException {}

    /** The transaction in which {@link #release} was called has committed. Must be quick. */
    default void released(DeadNode node) {}
}
