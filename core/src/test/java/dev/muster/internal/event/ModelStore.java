package dev.muster.internal.event;

import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.Event.WatchedJob;
import dev.muster.event.Position;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.workflow.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A database in which transactions end jobs, at times that a test sets. */
final class ModelStore implements EventStore {
    static final Instant START = Instant.parse("2026-03-01T12:00:00Z");

    private final List<Transaction> transactions = new ArrayList<>();
    private Instant now = START;
    volatile int queries;
    volatile boolean broken;

    /** By how much it is behind, if it is a standby, which does not know the open transactions. */
    @Nullable
    Duration standbyLag;

    /** What happens the next time that history is read, or the moment. */
    private final AtomicReference<Runnable> during = new AtomicReference<>(() -> {});

    List<RunChanged> recentRuns = List.of();

    /** Its number is its position in the list; so transactions must be added in the order in which they begin. */
    private record Transaction(Instant begin, Instant commit, List<JobEnded> jobs) {}

    /** A transaction that begins now, ends this many jobs at once, and commits after a while. */
    synchronized List<JobEnded> end(int jobs, JobStatus status, Duration commitsAfter) {
        List<JobEnded> ended = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            // Random ids: jobs that end at the same time do so in any order.
            JobId id = JobId.of(UUID.randomUUID());
            ended.add(new JobEnded(id, "a", "default", status, 1, Optional.of("n"), now));
        }
        transactions.add(new Transaction(now, now.plus(commitsAfter), ended));
        return ended;
    }

    JobEnded end(Duration commitsAfter) {
        return end(1, JobStatus.COMPLETED, commitsAfter).get(0);
    }

    synchronized Instant now() {
        return now;
    }

    JobEnded end() {
        return end(Duration.ZERO);
    }

    synchronized void pass(Duration time) {
        now = now.plus(time);
    }

    void duringTheNextQuery(Runnable happens) {
        during.set(happens);
    }

    @Override
    public synchronized Horizon horizon() {
        queries++;
        during.getAndSet(() -> {}).run();
        if (broken) {
            throw new DatabaseUnavailable("the database does not answer", null);
        }
        if (standbyLag != null) {
            return new Horizon(now.minus(standbyLag), Optional.empty());
        }
        Set<Long> open = new HashSet<>();
        for (int i = 0; i < transactions.size(); i++) {
            if (transactions.get(i).commit().isAfter(now)) {
                open.add((long) i);
            }
        }
        return new Horizon(now, Optional.of(open));
    }

    @Override
    public synchronized Ended ended(Position after, Position upTo, int limit) {
        queries++;
        Instant visible = standbyLag == null ? now : now.minus(standbyLag);
        List<JobEnded> all = transactions.stream()
                .filter(transaction -> !transaction.commit().isAfter(visible))
                .flatMap(transaction -> transaction.jobs().stream())
                .filter(job -> after.isBefore(UnsettledJobs.at(job)) && !upTo.isBefore(UnsettledJobs.at(job)))
                .sorted(Comparator.comparing(UnsettledJobs::at))
                .toList();
        List<JobEnded> some = all.subList(0, Math.min(limit, all.size()));
        List<JobEnded> rest = all.subList(some.size(), all.size());
        return new Ended(
                some,
                rest.size(),
                rest.stream().filter(job -> job.status() == JobStatus.FAILED).count());
    }

    @Override
    public List<QueueInfo> queues() {
        return List.of();
    }

    @Override
    public List<WatchedJob> watched(Collection<JobId> ids) {
        return List.of();
    }

    @Override
    public synchronized List<RunChanged> runs(Collection<JobId> ids) {
        return ids.stream()
                .map(id -> new RunChanged(id, "w", RunStatus.RUNNING, START))
                .toList();
    }

    @Override
    public synchronized List<RunChanged> recentRuns(Instant since, int limit) {
        return recentRuns;
    }

    @Override
    public Fingerprints fingerprints() {
        return new Fingerprints("", "", "");
    }
}
