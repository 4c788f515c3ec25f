package dev.muster.internal.node;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.config.MusterConfig;
import dev.muster.internal.attempt.ArgsSource;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.CurrentTransaction;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.lock.Locks;
import dev.muster.lock.StartupCoordinator;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a subsystem may use of the node it belongs to, whether the node runs or not. */
public interface NodeContext {

    String nodeId();

    MusterConfig config();

    /** The clock of the node's own deadlines. */
    Clock clock();

    /** Told of what the node does; asked first whether anybody listens. */
    TelemetryListeners telemetry();

    JsonCodec json();

    Payloads payloads();

    Handlers handlers();

    /** Whether this node runs jobs of this name: it has a handler for them, and routing sends them to an executor. */
    boolean runsJobs(String name);

    /**
     * The port to a subsystem's tables.
     *
     * @throws MusterException if the store has no such port
     */
    <P> P port(Class<P> type);

    /** A connection from the pool in autocommit mode; the caller closes it. */
    Connection connection() throws SQLException;

    /** The transaction that a framework has open on this thread. What a program writes through its API joins it. */
    CurrentTransaction currentTransaction();

    /** Supplies the args of jobs that subsystems store as references. */
    ArgsSource argsSource();

    /** Sends wake-ups to other nodes and receives theirs. */
    ClusterCoordinator coordinator();

    Jobs jobs();

    /**
     * Enqueues in a transaction that the subsystem commits itself. Other than with {@link Jobs#in}, the wake-ups are no part of the
     * transaction.
     *
     * @param afterCommit gets the actions that the subsystem has to run after the commit: they send the wake-ups
     */
    Enqueuer jobsIn(Connection connection, Consumer<Runnable> afterCommit);

    /** Those of these jobs that belong to the tenant, as of now; one question to the database, however many there are. */
    Set<JobId> jobsOf(String tenant, Collection<JobId> ids);

    /**
     * Retries a job like {@link Jobs#retryWithDependents}, and of the jobs that were cancelled because of it those of the tenant alone.
     *
     * @return how many jobs were retried
     */
    int retryWithDependents(JobId id, String tenant);

    /**
     * Checks a job as if it were enqueued now, and fills in what its handler and the interceptors set; for jobs that a subsystem enqueues
     * later.
     *
     * @param complete whether the request has all its args; otherwise they are not compared with the handler's type
     * @param connection the caller's transaction, if there is one
     * @throws dev.muster.job.InvalidJob if it cannot be enqueued
     */
    NewJob check(JobRequest request, boolean complete, @Nullable Connection connection);

    Locks locks();

    RateLimits rateLimits();

    /** Guards destructive work at start-up. */
    StartupCoordinator startupCoordinator();

    /** An object that a subsystem's handlers and parts share: created with the first call, one for each node. */
    <T> T shared(Class<T> type, Supplier<T> create);

    /** Calls the listener whenever a node has joined, left or changed its status, or may have. Listeners must be quick. */
    void registerNodesListener(Runnable listener);

    /** Whether this node only reads. */
    default boolean observes() {
        return config().node().observes();
    }
}
