package dev.muster;

import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.job.internal.ObserverJobs;
import dev.muster.job.internal.ObserverQueues;
import dev.muster.job.internal.StoredJobs;
import dev.muster.job.internal.StoredQueues;
import dev.muster.job.internal.TenantOptions;
import dev.muster.job.store.NewJob;
import dev.muster.limit.BackendRateLimits;
import dev.muster.limit.ObserverRateLimits;
import dev.muster.limit.RateLimitStore;
import dev.muster.limit.RateLimits;
import dev.muster.lock.LockStore;
import dev.muster.lock.Locks;
import dev.muster.lock.ObserverLocks;
import dev.muster.lock.StoredLocks;
import dev.muster.node.Subsystem;
import dev.muster.node.Subsystem.Api;
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
final class ClientApi {
    private final NodeResources node;
    private final StoredJobs writable;
    private final Jobs jobs;
    private final Queues queues;
    private final Locks locks;
    private final RateLimits rateLimits;
    private final Map<Class<?>, Object> ofSubsystems = new HashMap<>();

    ClientApi(NodeResources node) {
        this.node = node;
        this.writable = jobs(node);
        Queues queues = new StoredQueues(node.store.queues(), node.signal);
        Locks locks = new StoredLocks(node.port(LockStore.class), node.nodeId(), node.clock());
        this.jobs = node.observes() ? new ObserverJobs(writable) : writable;
        this.queues = node.observes() ? new ObserverQueues(queues) : queues;
        this.locks = node.observes() ? new ObserverLocks(locks) : locks;
        this.rateLimits = node.observes() ? new ObserverRateLimits() : rateLimits(node);
    }

    private static RateLimits rateLimits(NodeResources node) {
        return node.rateLimiter != null
                ? new BackendRateLimits(node.rateLimiter)
                : BackendRateLimits.of(node.config().rateLimit().mode(), node.port(RateLimitStore.class), node.clock());
    }

    private static StoredJobs jobs(NodeResources node) {
        return new StoredJobs(
                node.store.jobs(),
                node.store.jobReader(),
                node.store.dependencies(),
                node.json(),
                node.payloads(),
                node.registry,
                node.store.nodes(),
                new TenantOptions(
                        node.config().tenants().maySet(), node.config().worker().jobTimeout()),
                node.interceptors,
                node.transactionScope(),
                node.signal,
                node.telemetry().traces(),
                node.clock(),
                node.config().tenants().fairness());
    }

    /** Adds the APIs of the subsystems, which may use the others. */
    void addSubsystems() {
        for (Subsystem subsystem : Subsystems.all()) {
            for (Api<?> api : subsystem.apis(node)) {
                if (ofSubsystems.put(api.type(), api.instance()) != null) {
                    throw new MusterException("two subsystems have the API "
                            + api.type().getName() + "; one of them is '" + subsystem.name() + "'");
                }
            }
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

    Queues queues() {
        return queues;
    }

    Locks locks() {
        return locks;
    }

    RateLimits rateLimits() {
        return rateLimits;
    }

    <T> T of(Class<T> type) {
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
