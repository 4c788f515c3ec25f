package dev.muster.testkit;

import dev.muster.job.Cancellation;
import dev.muster.job.ClaimRef;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimSession;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRegistry;
import dev.muster.job.JobStatus;
import dev.muster.job.JobStore;
import dev.muster.job.KeyConflict;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.job.NewJob;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Jobs in memory that run as soon as they are stored, on the storing thread, one after the other. */
final class InlineStore implements JobStore {
    private static final int MOST_RUNS = 10_000;

    private final JobRegistry registry;
    private final Map<JobId, InlineJob> jobs = new LinkedHashMap<>();
    private final Map<List<String>, JobId> keys = new LinkedHashMap<>();

    /** What the thread has yet to run; set while it runs. */
    private final ThreadLocal<Deque<InlineJob>> waiting = new ThreadLocal<>();

    InlineStore(JobRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<JobId> enqueue(List<NewJob> batch) {
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
                            new InlineJob(job, registry.find(job.name()).orElse(null));
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

    @Override
    public List<JobId> enqueue(Connection connection, List<NewJob> batch) {
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
                job.await();
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
        return jobs.values().stream()
                .filter(job -> job.status() == JobStatus.WAITING)
                .filter(job ->
                        job.request().dependsOn().contains(parent.request().id()))
                .toList();
    }

    private synchronized @Nullable InlineJob job(JobId id) {
        return jobs.get(id);
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return Optional.ofNullable(job(id)).map(InlineJob::info);
    }

    @Override
    public synchronized List<JobInfo> list(JobQuery query) {
        List<InlineJob> newestFirst = new ArrayList<>(jobs.values());
        Collections.reverse(newestFirst);
        return newestFirst.stream()
                .map(InlineJob::info)
                .filter(job -> query.statuses().isEmpty() || query.statuses().contains(job.status()))
                .filter(job -> query.name().map(job.name()::equals).orElse(true))
                .filter(job -> query.queue().map(job.queue()::equals).orElse(true))
                .limit(query.limit())
                .toList();
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
        job.reset();
        run(List.of(job));
        return Optional.of(job.request().lane());
    }

    @Override
    public void prepareHistory() {
        // There is none.
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

    private static UnsupportedOperationException noClaims() {
        return new UnsupportedOperationException("inline jobs run at once: nobody claims them");
    }

    @Override
    public ClaimSession openClaims(ClaimScope scope) {
        throw noClaims();
    }

    @Override
    public Marked markRunning(Collection<Start> starts) {
        throw noClaims();
    }

    @Override
    public Renewal renew(Collection<ClaimRef> claims, Duration lease) {
        throw noClaims();
    }

    @Override
    public Renewal inspect(Collection<ClaimRef> claims) {
        throw noClaims();
    }

    @Override
    public List<Recovered> recoverExpired(int limit, boolean everything) {
        throw noClaims();
    }

    @Override
    public boolean completeIn(Connection connection, ClaimRef claim, @Nullable String result) {
        throw noClaims();
    }

    @Override
    public CompletionState completionOf(ClaimRef claim) {
        throw noClaims();
    }

    @Override
    public List<JobId> expire(int limit) {
        throw noClaims();
    }

    @Override
    public Set<Lane> resolveDependents(Collection<JobId> ended) {
        throw noClaims();
    }

    @Override
    public Set<Lane> sweepWaiting() {
        throw noClaims();
    }

    @Override
    public void progress(Map<ClaimRef, JobInfo.Progress> progress) {
        throw noClaims();
    }

    @Override
    public void appendLogs(List<NewLogLine> lines) {
        throw noClaims();
    }
}
