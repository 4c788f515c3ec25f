package dev.muster.testkit;

import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRegistry;
import dev.muster.job.JobStatus;
import dev.muster.job.JobStore;
import dev.muster.job.Jobs;
import dev.muster.job.KeyConflict;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.NewJob;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Jobs in memory that run as soon as they are stored, on the storing thread, one after the other. */
final class InlineStore {
    private static final int MOST_RUNS = 1_000;

    private final JobRegistry registry;
    private final Jobs facade;
    private final Map<JobId, InlineJob> jobs = new LinkedHashMap<>();
    private final Map<List<String>, JobId> keys = new LinkedHashMap<>();
    private final Set<InlineJob> dependents = new LinkedHashSet<>();

    /** What the thread has yet to run; set while it runs. */
    private final ThreadLocal<Deque<InlineJob>> waiting = new ThreadLocal<>();

    /** @param facade what handlers enqueue with */
    InlineStore(JobRegistry registry, Jobs facade) {
        this.registry = registry;
        this.facade = facade;
    }

    List<JobId> enqueue(List<NewJob> batch) {
        List<JobId> ids = new ArrayList<>(batch.size());
        List<InlineJob> fresh = new ArrayList<>();
        synchronized (this) {
            batch.forEach(this::checkKey);
            batch.forEach(job -> checkParents(job, batch));
            for (NewJob job : batch) {
                JobId id = job.key() == null
                        ? job.id()
                        : keys.computeIfAbsent(List.of(job.name(), job.key()), k -> job.id());
                ids.add(id);
                if (!jobs.containsKey(id)) {
                    InlineJob added =
                            new InlineJob(job, registry.find(job.name()).orElse(null), facade);
                    jobs.put(id, added);
                    fresh.add(added);
                }
            }
        }
        run(fresh);
        return ids;
    }

    private void checkParents(NewJob job, List<NewJob> batch) {
        for (JobId parent : job.dependsOn()) {
            if (!jobs.containsKey(parent)
                    && batch.stream().noneMatch(other -> other.id().equals(parent))) {
                throw new InvalidJob("job '" + job.name() + "' depends on job " + parent + ", which does not exist");
            }
        }
    }

    private void checkKey(NewJob job) {
        JobId holder = job.key() == null ? null : keys.get(List.of(job.name(), job.key()));
        if (holder != null && !Codec.same(jobs.get(holder).request().args(), job.args())) {
            throw new KeyConflict(job.name(), job.key(), holder);
        }
    }

    List<JobId> enqueue(Connection connection, List<NewJob> batch) {
        return enqueue(batch);
    }

    private void run(List<InlineJob> fresh) {
        Deque<InlineJob> running = waiting.get();
        if (running != null) {
            running.addAll(fresh);
            return;
        }
        Deque<InlineJob> queue = new ArrayDeque<>(fresh);
        waiting.set(queue);
        try {
            int runs = 0;
            InlineJob next;
            while ((next = queue.poll()) != null) {
                if (++runs > MOST_RUNS) {
                    throw new AssertionError("jobs enqueue jobs without end; gave up after " + MOST_RUNS
                            + " of them, the last one being '" + next.request().name() + "'");
                }
                if (mayRun(next)) {
                    next.runToEnd();
                    queue.addAll(waitingFor(next));
                }
            }
        } finally {
            waiting.remove();
        }
    }

    /** Whether its parents have all completed; otherwise it waits, or ends with them. */
    private boolean mayRun(InlineJob job) {
        for (JobId id : job.request().dependsOn()) {
            JobStatus parent = find(id).orElseThrow().status();
            if (!parent.isTerminal()) {
                await(job);
                return false;
            }
            if (parent != JobStatus.COMPLETED) {
                job.cancel("job " + id + ", on which it depends, is " + parent.text());
                run(waitingFor(job));
                return false;
            }
        }
        return !job.status().isTerminal();
    }

    private synchronized List<InlineJob> waitingFor(InlineJob parent) {
        if (!parent.status().isTerminal()) {
            return List.of();
        }
        List<InlineJob> freed = dependents.stream()
                .filter(job ->
                        job.request().dependsOn().contains(parent.request().id()))
                .toList();
        freed.forEach(dependents::remove);
        return freed;
    }

    private synchronized void await(InlineJob job) {
        job.await();
        dependents.add(job);
    }

    private synchronized @Nullable InlineJob job(JobId id) {
        return jobs.get(id);
    }

    Optional<JobInfo> find(JobId id) {
        return Optional.ofNullable(job(id)).map(InlineJob::info);
    }

    List<JobInfo> list(JobQuery query) {
        return matching(query).stream()
                .map(InlineJob::info)
                .limit(query.limit())
                .toList();
    }

    /** The newest first. */
    private synchronized List<InlineJob> matching(JobQuery query) {
        List<InlineJob> newestFirst = new ArrayList<>(jobs.values());
        Collections.reverse(newestFirst);
        newestFirst.removeIf(job -> !job.matches(query));
        return newestFirst;
    }

    BulkCancellation cancelAll(JobQuery query) {
        List<Cancellation> results =
                matching(query).stream().map(job -> cancel(job.request().id())).toList();
        return new BulkCancellation(
                Collections.frequency(results, Cancellation.CANCELLED),
                Collections.frequency(results, Cancellation.REQUESTED));
    }

    List<Lane> retryAll(JobQuery query) {
        return matching(query).stream()
                .flatMap(job -> retry(job.request().id()).stream())
                .toList();
    }

    Cancellation cancel(JobId id) {
        InlineJob job = job(id);
        if (job == null) {
            return Cancellation.NOT_FOUND;
        }
        Cancellation result = job.cancel();
        run(waitingFor(job));
        return result;
    }

    Optional<Lane> retry(JobId id) {
        InlineJob job = job(id);
        if (job == null || !job.info().status().isTerminal() || job.info().status() == JobStatus.COMPLETED) {
            return Optional.empty();
        }
        job.reset();
        run(List.of(job));
        return Optional.of(job.request().lane());
    }

    List<LogLine> logs(JobId id, long afterLine, int limit) {
        InlineJob job = job(id);
        return job == null
                ? List.of()
                : job.lines().stream()
                        .filter(line -> line.line() > afterLine)
                        .limit(limit)
                        .toList();
    }

    /** This as the port to a store: what belongs to claims is refused. */
    JobStore asJobStore() {
        return (JobStore) Proxy.newProxyInstance(
                InlineStore.class.getClassLoader(), new Class<?>[] {JobStore.class}, (proxy, method, args) -> {
                    Method own;
                    try {
                        own = InlineStore.class.getDeclaredMethod(method.getName(), method.getParameterTypes());
                    } catch (NoSuchMethodException e) {
                        throw new UnsupportedOperationException(
                                "inline jobs run at once: nobody claims them, and there is no " + method.getName(), e);
                    }
                    try {
                        return own.invoke(this, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
