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
 * A real node that runs in the test, with its own connections and methods to inject faults. A fault affects this node only: the
 * test, its {@link Cluster#jobs()} and the other nodes continue.
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

    /** The node's id, as in {@code JobInfo.node()} and the table {@code muster_nodes}. */
    public String id() {
        return muster.nodeId();
    }

    /** Jobs through this node's own connections, which its faults affect. */
    public Jobs jobs() {
        return muster.jobs();
    }

    /** This node's view of a leader role. */
    public Leadership leadership(LeaderRole role) {
        return muster.leadership(role);
    }

    /** The ports at which this node answers HTTP. */
    public List<Integer> ports() {
        return muster.ports();
    }

    public Health health() {
        return muster.health();
    }

    /**
     * Freezes the node as SIGSTOP would: it renews, claims and finishes nothing, and does not notice. Only handlers that are
     * already running continue. A call of {@link #jobs()} waits until {@link #thaw()}.
     */
    public void freeze() {
        faults.freeze();
    }

    /** Lets a frozen node continue; its clock then shows the same time as all others. */
    public void thaw() {
        faults.thaw();
    }

    /** Breaks the node's connections to the database and refuses new ones. */
    public void cutDatabase() {
        faults.cut();
    }

    public void restoreDatabase() {
        faults.restore();
    }

    /**
     * For the next commits of this node that write something: lets them reach the database, but breaks the connection before the
     * node gets the answer. Heartbeats do not count.
     */
    public void dropAcknowledgements(int commits) {
        faults.dropAcknowledgements(commits);
    }

    /** Whether the acknowledgement of a later commit will still be dropped. */
    boolean dropsAcknowledgements() {
        return faults.mayDropAcknowledgement();
    }

    /**
     * Ends the node as {@code kill -9} would: it does not drain or release anything, and its leases and its row stay. Its
     * handlers are interrupted, because a thread cannot be killed; what they do afterwards has no effect on their jobs.
     */
    public synchronized void crash() {
        if (!closed && !faults.isCrashed()) {
            faults.crash();
            handlers.interrupt();
            crashCleanup.start();
            // The cleanup need not wait for answers that cannot come.
            crashCleanup.interrupt();
        }
    }

    /** Stops the node gracefully, as SIGTERM would: it finishes or releases its jobs and leaves the cluster. */
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

    /** Closes the node; if it is frozen, cut off or crashed, without draining it. */
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
