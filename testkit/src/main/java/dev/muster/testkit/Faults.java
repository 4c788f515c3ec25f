package dev.muster.testkit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The faults injected into a node. The node's clock reads, connections and statements all pass through here. */
final class Faults {
    static final String BROKEN = "08006";

    private final Set<Connection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger acknowledgementsToDrop = new AtomicInteger();
    private volatile boolean frozen;
    private volatile boolean cut;
    private volatile boolean crashed;

    /** Waits while the node is frozen; an interruption does not shorten the wait. */
    void pass() {
        if (frozen) {
            awaitThaw();
        }
    }

    private synchronized void awaitThaw() {
        boolean interrupted = false;
        while (frozen) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits while the node is frozen, and then fails if the node is cut off from the database. */
    void passToDatabase() throws SQLException {
        pass();
        if (cut || crashed) {
            throw new SQLException("the test has cut this node off its database", BROKEN);
        }
    }

    void opened(Connection connection) throws SQLException {
        open.add(connection);
        // If the node was cut off meanwhile, the cut may have missed this connection.
        try {
            passToDatabase();
        } catch (SQLException e) {
            abort(connection);
            throw e;
        }
    }

    void closed(Connection connection) {
        open.remove(connection);
    }

    synchronized void freeze() {
        frozen = true;
    }

    synchronized void thaw() {
        frozen = false;
        notifyAll();
    }

    void cut() {
        cut = true;
        abortAll();
    }

    void restore() {
        cut = false;
    }

    void crash() {
        crashed = true;
        thaw();
        abortAll();
    }

    boolean isFrozen() {
        return frozen;
    }

    boolean isCrashed() {
        return crashed;
    }

    /** Whether the node could renew its leases now. */
    boolean isWell() {
        return !frozen && !cut && !crashed;
    }

    void dropAcknowledgements(int count) {
        acknowledgementsToDrop.set(count);
    }

    boolean mayDropAcknowledgement() {
        return acknowledgementsToDrop.get() > 0;
    }

    boolean dropsAcknowledgement() {
        return acknowledgementsToDrop.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    private void abortAll() {
        open.forEach(this::abort);
    }

    void abort(Connection connection) {
        open.remove(connection);
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            throw new IllegalStateException("a connection could not be broken: " + e.getMessage(), e);
        }
    }
}
