package dev.muster.testkit;

import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.PageText;
import dev.muster.internal.job.store.TenantKey;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.KeyConflict;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Jobs in memory that run as soon as they are stored, on the storing thread, one after the other. */
final class InlineStore implements JobStore, JobReader, DependencyStore {
    private static final int MOST_RUNS = 1_000;
    private static final String BECAUSE_OF_PARENT = "cancelled: it depends on job ";

    private final JobRegistry registry;
    private final Jobs facade;
    private final Map<JobId, InlineJob> jobs = new LinkedHashMap<>();
    private final Map<List<String>, JobId> keys = new LinkedHashMap<>();
    private final Set<InlineJob> dependents = new LinkedHashSet<>();

    /** The jobs that the thread has still to run; set while it runs one. */
    private final ThreadLocal<Deque<InlineJob>> waiting = new ThreadLocal<>();

    /** @param facade through which handlers enqueue */
    InlineStore(JobRegistry registry, Jobs facade) {
        this.registry = registry;
        this.facade = facade;
    }

    @Override
    public List<JobId> enqueue(List<NewJob> newJobs) {
        return submit(newJobs).stream().map(Enqueued::id).toList();
    }

    @Override
    public List<Enqueued> submit(List<NewJob> newJobs) {
        List<Enqueued> enqueued = new ArrayList<>(newJobs.size());
        List<InlineJob> fresh = new ArrayList<>();
        synchronized (this) {
            newJobs.forEach(InlineStore::refuseBatch);
            newJobs.forEach(this::checkKey);
            newJobs.forEach(job -> checkParents(job, newJobs));
            for (NewJob job : newJobs) {
                JobId id = job.key() == null
                        ? job.id()
                        : keys.computeIfAbsent(List.of(job.name(), job.key()), k -> job.id());
                boolean created = !jobs.containsKey(id);
                refuseOther(job, jobs.get(id));
                enqueued.add(new Enqueued(id, created));
                if (created) {
                    InlineJob added =
                            new InlineJob(job, registry.find(job.name()).orElse(null), facade, this::dependencies);
                    jobs.put(id, added);
                    fresh.add(added);
                }
            }
        }
        run(fresh);
        return enqueued;
    }

    @Override
    public List<Enqueued> submit(Connection connection, List<NewJob> newJobs) {
        return submit(newJobs);
    }

    private static void refuseOther(NewJob job, @Nullable InlineJob sameId) {
        String holder = sameId == null ? job.name() : sameId.request().name();
        if (!holder.equals(job.name())) {
            throw new InvalidJob("job '" + job.name() + "' cannot have the id " + job.id()
                    + ", because it is that of job '" + holder + "'; use another id");
        }
    }

    private static void refuseBatch(NewJob job) {
        if (job.batch() != null) {
            throw new MusterException(
                    "job '" + job.name() + "' belongs to a batch, and InlineJobs has no batches: use a Cluster");
        }
    }

    private List<Dependency> dependencies(NewJob job) {
        return job.parents().stream()
                .map(id -> new Dependency(
                        id,
                        Optional.ofNullable(job(id)).map(InlineJob::status),
                        job.dependsOnAnyOutcome().contains(id)))
                .toList();
    }

    private void checkParents(NewJob job, List<NewJob> newJobs) {
        for (JobId parent : job.parents()) {
            if (!jobs.containsKey(parent)
                    && newJobs.stream().noneMatch(other -> other.id().equals(parent))) {
                throw new InvalidJob("job '" + job.name() + "' depends on job " + parent + ", which does not exist");
            }
        }
    }

    private void checkKey(NewJob job) {
        JobId holder = job.key() == null ? null : keys.get(List.of(job.name(), job.key()));
        if (holder != null && !Codec.same(jobs.get(holder).request().args(), job.args())) {
            throw new KeyConflict(job.name(), String.valueOf(job.shownKey()), holder);
        }
    }

    @Override
    public List<JobId> enqueue(Connection connection, List<NewJob> newJobs) {
        return enqueue(newJobs);
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

    /** Whether the jobs it depends on have ended as required; otherwise the job waits or is cancelled. */
    private boolean mayRun(InlineJob job) {
        for (JobId id : job.request().parents()) {
            JobStatus parent = find(id).orElseThrow().status();
            if (!parent.isTerminal()) {
                await(job);
                return false;
            }
            if (parent != JobStatus.COMPLETED && job.request().dependsOn().contains(id)) {
                job.cancel(BECAUSE_OF_PARENT + id + ", which is " + parent.text());
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
                .filter(job -> job.request().parents().contains(parent.request().id()))
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

    @Override
    public Optional<JobInfo> find(JobId id) {
        return Optional.ofNullable(job(id)).map(InlineJob::info);
    }

    @Override
    public Optional<JobInfo> current(JobId id) {
        return find(id);
    }

    @Override
    public Optional<JobStatus> currentStatus(JobId id) {
        return find(id).map(JobInfo::status);
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        return matching(query).stream()
                .map(InlineJob::info)
                .limit(query.limit())
                .toList();
    }

    @Override
    public JobPage search(JobQuery query, Duration patience) {
        List<JobInfo> found = list(query);
        PageText text = PageText.ofSearch();
        List<JobInfo> page = found.stream().takeWhile(text::add).toList();
        return JobPage.of(page, page.size() < found.size() ? page.size() : query.limit());
    }

    @Override
    public Map<JobStatus, JobCount> counts(JobQuery query) {
        JobQuery all = new JobQuery(
                query.ids(),
                Set.of(),
                query.name(),
                query.queue(),
                query.tags(),
                query.metadata(),
                query.key(),
                query.batch(),
                Optional.empty(),
                query.limit());
        Map<JobStatus, JobCount> counts = new EnumMap<>(JobStatus.class);
        for (JobStatus status : JobStatus.known()) {
            counts.put(status, new JobCount(matching(all.status(status)).size(), true));
        }
        return counts;
    }

    /** The matching jobs, newest first. */
    private synchronized List<InlineJob> matching(JobQuery query) {
        List<InlineJob> newestFirst = new ArrayList<>(jobs.values());
        Collections.reverse(newestFirst);
        newestFirst.removeIf(job -> !job.matches(query));
        return newestFirst;
    }

    @Override
    public BulkCancellation cancelAll(JobQuery query, Consumer<Set<Lane>> freed) {
        List<Cancellation> results =
                matching(query).stream().map(job -> cancel(job.request().id())).toList();
        return new BulkCancellation(
                Collections.frequency(results, Cancellation.CANCELLED),
                Collections.frequency(results, Cancellation.REQUESTED));
    }

    /** Retries the oldest first, so that jobs come before those that depend on them. */
    @Override
    public List<Lane> retryAll(JobQuery query) {
        List<InlineJob> oldestFirst = new ArrayList<>(matching(query));
        Collections.reverse(oldestFirst);
        return oldestFirst.stream()
                .filter(job -> blockedBy(job).isEmpty())
                .flatMap(job -> retry(job.request().id()).stream())
                .toList();
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        Map<List<Object>, Long> counts = matching(query).stream()
                .collect(Collectors.groupingBy(
                        job -> List.of(job.request().name(), job.status()), LinkedHashMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(count -> new RetryableJobs(
                        (String) count.getKey().get(0),
                        (JobStatus) count.getKey().get(1),
                        count.getValue()))
                .toList();
    }

    @Override
    public Set<JobId> jobsOf(String tenant, Collection<JobId> ids) {
        return ids.stream()
                .filter(id -> find(id).filter(
                                job -> tenant.equals(job.metadata().get(TenantKey.METADATA)))
                        .isPresent())
                .collect(Collectors.toSet());
    }

    @Override
    public List<Lane> retryDependents(JobId id, @Nullable String tenant) {
        List<InlineJob> cancelled = matching(JobQuery.all().status(JobStatus.CANCELLED)).stream()
                .filter(job -> job.request().dependsOn().contains(id))
                .filter(job -> job.info().error().orElse("").startsWith(BECAUSE_OF_PARENT))
                .filter(job -> blockedBy(job).isEmpty())
                .filter(job -> tenant == null
                        || jobsOf(tenant, List.of(job.request().id())).size() == 1)
                .toList();
        List<Lane> lanes = new ArrayList<>();
        for (InlineJob job : cancelled) {
            lanes.addAll(retry(job.request().id()).stream().toList());
            lanes.addAll(retryDependents(job.request().id(), tenant));
        }
        return lanes;
    }

    private Optional<JobId> blockedBy(InlineJob job) {
        return job.request().dependsOn().stream()
                .filter(parent ->
                        job(parent).status().isTerminal() && job(parent).status() != JobStatus.COMPLETED)
                .findFirst();
    }

    @Override
    public Cancellation cancel(JobId id) {
        InlineJob job = job(id);
        if (job == null) {
            return Cancellation.NOT_FOUND;
        }
        Cancellation result = job.cancel();
        run(waitingFor(job));
        return result;
    }

    @Override
    public Optional<Lane> retry(JobId id) {
        InlineJob job = job(id);
        if (job == null || !job.info().status().isTerminal() || job.info().status() == JobStatus.COMPLETED) {
            return Optional.empty();
        }
        Optional<JobId> blockedBy = blockedBy(job);
        if (blockedBy.isPresent()) {
            throw new MusterException("job " + id + " is not retried: it depends on job " + blockedBy.get()
                    + ", which is " + job(blockedBy.get()).status().text()
                    + " and has to complete first. Retry that one with its dependents");
        }
        job.reset();
        run(List.of(job));
        return Optional.of(job.request().lane());
    }

    @Override
    public Optional<Lane> reschedule(JobId id, @Nullable Duration delay, @Nullable Instant at) {
        return unclaimed(id).map(job -> {
            job.reschedule(at == null ? Instant.now().plus(delay) : at);
            return job.request().lane();
        });
    }

    @Override
    public Optional<Lane> reprioritise(JobId id, Priority priority) {
        return unclaimed(id).map(job -> {
            job.reprioritise(priority);
            return job.request().lane();
        });
    }

    private Optional<InlineJob> unclaimed(JobId id) {
        return Optional.ofNullable(job(id))
                .filter(job -> job.status() == JobStatus.PENDING || job.status() == JobStatus.WAITING);
    }

    @Override
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        InlineJob job = job(id);
        return job == null
                ? List.of()
                : job.lines().stream()
                        .filter(line -> line.line() > afterLine)
                        .limit(limit)
                        .toList();
    }

    @Override
    public List<JobAttempt> attempts(JobId id, int limit) {
        InlineJob job = job(id);
        List<JobAttempt> all = job == null ? List.of() : job.attempts();
        return all.subList(Math.max(0, all.size() - limit), all.size());
    }

    /** There are none: the jobs that waited for an ended one have run, or ended with it. */
    @Override
    public Set<Lane> resolveDependents(Collection<JobId> ended) {
        return Set.of();
    }

    @Override
    public Set<Lane> resolveSomeDependents(Collection<JobId> ended, Collection<JobId> rest) {
        return Set.of();
    }

    @Override
    public Set<Lane> sweepWaiting(Connection tx) {
        return Set.of();
    }
}
