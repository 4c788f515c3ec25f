package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.job.Jobs;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.runtime.Health;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real node that runs in the test, with connections of its own and switches for what can happen to it. A fault
 * hits this node alone: the test, its {@link Cluster#jobs()} and the other nodes go on.
 */
public final class Node implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Node.class);
    private static final Duration CRASH_CLEANUP = Duration.ofSeconds(10);

    private final Muster muster;
    private final Faults faults;
    private final FaultyConnections connections;
    private final EnteredHandlers handlers;
    private final Thread crashCleanup;
    private boolean closed;

    Node(Muster muster, Faults faults, FaultyConnections connections, EnteredHandlers handlers) {
        this.muster = muster;
        this.faults = faults;
        this.connections = connections;
        this.handlers = handlers;
        this.crashCleanup = new Thread(this::cleanUp, "muster-crashed-" + muster.nodeId());
        crashCleanup.setDaemon(true);
    }

    void start() {
        muster.start();
    }

    /** Its id, as {@code JobInfo.node()} and the table {@code muster_nodes} show it. */
    public String id() {
        return muster.nodeId();
    }

    /** Jobs through this node's own connections: its faults apply. */
    public Jobs jobs() {
        return muster.jobs();
    }

    /** Its part in a leader role. */
    public Leadership leadership(LeaderRole role) {
        return muster.leadership(role);
    }

    public Health health() {
        return muster.health();
    }

    /**
     * Stops it in its tracks, as SIGSTOP would: it neither renews nor claims nor finishes anything, and does not
     * know it. Code of a handler that has been entered is the one thing that goes on. A call to {@link #jobs()}
     * waits until {@link #thaw()}.
     */
    public void freeze() {
        faults.freeze();
    }

    /** Lets it go on, with its clock as far ahead as all others. */
    public void thaw() {
        faults.thaw();
    }

    /** Breaks its connections to the database and refuses new ones. */
    public void cutDatabase() {
        faults.cut();
    }

    public void restoreDatabase() {
        faults.restore();
    }

    /**
     * Lets the next commits of this node that write something reach the database, and breaks the connection
     * before the node hears of it. Heartbeats do not count.
     */
    public void dropAcknowledgements(int commits) {
        faults.dropAcknowledgements(commits);
    }

    /** Whether there are commits left to come whose acknowledgement is to be dropped. */
    boolean dropsAcknowledgements() {
        return faults.mayDropAcknowledgement();
    }

    /**
     * Ends it as {@code kill -9} would: no drain, no release, no goodbye; its leases and its row stay behind. Its
     * handlers are interrupted, because a thread cannot be killed; what they do afterwards does not count.
     */
    public synchronized void crash() {
        if (!closed && !faults.isCrashed()) {
            faults.crash();
            handlers.interrupt();
            crashCleanup.start();
            // It need not wait for what cannot come.
            crashCleanup.interrupt();
        }
    }

    /** Stops it in order, as SIGTERM would: finishes or hands back what it has, and leaves the cluster. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (faults.isCrashed()) {
                awaitCrashCleanup();
            } else {
                muster.close();
            }
        } finally {
            connections.close();
        }
    }

    private void cleanUp() {
        try {
            muster.close();
        } catch (RuntimeException e) {
            log.debug("crashed node={} ended with {}", id(), e.toString());
        }
    }

    private void awaitCrashCleanup() {
        try {
            crashCleanup.join(CRASH_CLEANUP.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A node that cannot say goodbye is ended without one. */
    void closeAnyway() {
        if (!faults.isWell()) {
            crash();
        }
        close();
    }

    boolean isWell() {
        return !isClosed() && faults.isWell();
    }

    boolean isLost() {
        return faults.isCrashed() || (!isClosed() && !faults.isWell());
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    List<String> handlersLeft() {
        return handlers.left();
    }

    @Override
    public String toString() {
        return id();
    }
}
