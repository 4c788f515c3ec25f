package dev.muster.internal.assembly;

import dev.muster.internal.job.engine.DatabaseJobs;
import dev.muster.internal.job.engine.DatabaseQueues;
import dev.muster.internal.job.engine.RequestChecker;
import dev.muster.internal.job.engine.TenantOptions;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.lock.DatabaseLocks;
import dev.muster.internal.lock.LockStore;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.Subsystem;
import dev.muster.internal.node.Subsystem.Api;
import dev.muster.internal.ratelimit.BackendRateLimits;
import dev.muster.internal.ratelimit.RateLimitStore;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.lock.Locks;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The APIs through which a program uses the cluster, whether its node runs or not. An observer can only read. */
public final class ClientApi {
    private final NodeResources node;
    private final DatabaseJobs writable;
    private final Jobs jobs;
    private final Queues queues;
    private final Locks locks;
    private final RateLimits rateLimits;
    private final Map<Class<?>, Object> ofSubsystems = new HashMap<>();

    ClientApi(NodeResources node) {
        this.node = node;
        this.writable = jobs(node);
        this.jobs = api(Jobs.class, writable);
        this.queues = api(Queues.class, new DatabaseQueues(node.store.queues(), node.signal));
        this.locks = api(Locks.class, new DatabaseLocks(node.port(LockStore.class), node.nodeId(), node.clock()));
        this.rateLimits = api(RateLimits.class, rateLimits(node));
    }

    /** What programs get: on an observer the same without its writing methods. */
    public <T> T api(Class<T> type, T instance) {
        return node.observes() ? ReadOnlyApi.of(type, instance) : instance;
    }

    private static RateLimits rateLimits(NodeResources node) {
        return node.rateLimiter != null
                ? new BackendRateLimits(node.rateLimiter)
                : BackendRateLimits.of(node.config().rateLimit().mode(), node.port(RateLimitStore.class), node.clock());
    }

    private static DatabaseJobs jobs(NodeResources node) {
        RequestChecker checker = new RequestChecker(
                node.json(),
                node.payloads(),
                node.registry,
                node.store.nodes(),
                new TenantOptions(
                        node.config().tenants().maySet(), node.config().worker().jobTimeout()),
                node.clock(),
                node.config().tenants().fairness());
        return new DatabaseJobs(
                new DatabaseJobs.Stores(node.store.jobs(), node.store.jobReader(), node.store.dependencies()),
                node.json(),
                node.payloads(),
                checker,
                new DatabaseJobs.Enqueuing(
                        node.interceptors,
                        node.currentTransaction(),
                        node.signal,
                        node.telemetry().traces()),
                node.clock());
    }

    /** Adds the APIs of the subsystems, which may use the others. */
    void addSubsystems() {
        for (Subsystem subsystem : Subsystems.all()) {
            for (Api<?> api : subsystem.apis(node)) {
                add(api, subsystem);
            }
        }
    }

    private <T> void add(Api<T> api, Subsystem subsystem) {
        if (ofSubsystems.put(api.type(), api(api.type(), api.instance())) != null) {
            throw new MusterException("two subsystems have the API "
                    + api.type().getName() + "; one of them is '" + subsystem.name() + "'");
        }
    }

    NewJob check(JobRequest request, boolean complete, @Nullable Connection connection) {
        return writable.check(request, complete, connection);
    }

    Jobs jobs() {
        return jobs;
    }

    Set<JobId> jobsOf(String tenant, Collection<JobId> ids) {
        return writable.jobsOf(tenant, ids);
    }

    int retryWithDependents(JobId id, String tenant) {
        return node.observes() ? jobs.retryWithDependents(id) : writable.retryWithDependents(id, tenant);
    }

    Enqueuer jobsIn(Connection connection, Consumer<Runnable> afterCommit) {
        return node.observes() ? jobs.in(connection) : writable.in(connection, afterCommit);
    }

    public Queues queues() {
        return queues;
    }

    Locks locks() {
        return locks;
    }

    RateLimits rateLimits() {
        return rateLimits;
    }

    public <T> T of(Class<T> type) {
        if (type == NodeContext.class) {
            return type.cast(node);
        }
        @Nullable Object instance = ofSubsystems.get(type);
        if (instance == null) {
            throw new MusterException("no subsystem has the API " + type.getName() + "; there are: "
                    + ofSubsystems.keySet().stream()
                            .map(Class::getName)
                            .sorted()
                            .collect(Collectors.joining(", ")));
        }
        return type.cast(instance);
    }
}
