package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.EnqueueOutcomeUnknown;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.testing.Periods;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class GroupCommitIT extends OnFreshDatabase {
    private static final int THREADS = 16;
    private static final int CALLS = 200;

    @Test
    void everyCallerHasItsOwnJobsWrittenAndOnlyTheGuiltyAreRefused() throws Exception {
        PostgresStore store = database.store();
        AtomicInteger refused = new AtomicInteger();
        List<JobId> told = inThreads(thread -> {
            List<JobId> mine = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                boolean bad = thread == 3 && i % 10 == 0;
                NewJob job = JobDraft.named("a")
                        .args(bad ? "{\"x\": \"\\u0000\"}" : "{\"n\": " + i + "}")
                        .job();
                try {
                    List<JobId> ids = store.jobs().enqueue(List.of(job));
                    assertThat(ids).containsExactly(job.id());
                    assertThat(bad).isFalse();
                    mine.addAll(ids);
                } catch (InvalidJob e) {
                    assertThat(bad).isTrue();
                    refused.incrementAndGet();
                }
            }
            return mine;
        });

        assertThat(refused).hasValue(CALLS / 10);
        assertThat(database.column("SELECT id FROM muster_jobs"))
                .containsExactlyInAnyOrderElementsOf(
                        told.stream().map(JobId::toString).toList());
    }

    @Test
    void thoseWhoWaitShareACommit() throws Exception {
        AtomicInteger commits = new AtomicInteger();
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        GroupCommit<NewJob, JobId> group = group((jobs, doubt) -> {
            commits.incrementAndGet();
            writing.countDown();
            await(go);
            return jobs.stream().map(NewJob::id).toList();
        });
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        ExecutorService pool = Executors.newFixedThreadPool(THREADS, work -> {
            Thread thread = new Thread(work);
            threads.add(thread);
            return thread;
        });
        try {
            List<Future<List<JobId>>> calls = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                NewJob job = JobDraft.named("a").job();
                calls.add(pool.submit(() -> group.write(List.of(job))));
                if (i == 0) {
                    await(writing);
                }
            }
            Awaitility.await("all callers wait, one of them in its write")
                    .until(() -> threads.size() == THREADS && threads.stream().allMatch(GroupCommitIT::waits));
            go.countDown();
            for (Future<List<JobId>> call : calls) {
                assertThat(call.get(2, TimeUnit.MINUTES)).hasSize(1);
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(commits)
                .as("that of the first caller, and one of all others together")
                .hasValue(2);
    }

    private static boolean waits(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void oneWritesAtATimeAndNobodyIsForgottenHoweverCallersComeAndGo() throws Exception {
        AtomicInteger writers = new AtomicInteger();
        ConcurrentLinkedQueue<JobId> written = new ConcurrentLinkedQueue<>();
        GroupCommit<NewJob, JobId> group = group((jobs, doubt) -> {
            assertThat(writers.incrementAndGet()).isOne();
            Periods.work(Duration.ofNanos(20_000));
            List<JobId> ids = jobs.stream().map(NewJob::id).toList();
            written.addAll(ids);
            writers.decrementAndGet();
            return ids;
        });
        List<JobId> told = inThreads(thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            List<JobId> mine = new ArrayList<>();
            for (int i = 0; i < CALLS * (1 + thread % 4); i++) {
                List<NewJob> jobs = Stream.generate(() -> JobDraft.plain("a"))
                        .limit(random.nextInt(1, 60))
                        .toList();
                boolean interrupted = random.nextInt(10) == 0;
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                List<JobId> ids = group.write(jobs);
                assertThat(ids).isEqualTo(jobs.stream().map(NewJob::id).toList());
                assertThat(Thread.interrupted()).isEqualTo(interrupted);
                mine.addAll(ids);
                if (random.nextInt(5) == 0) {
                    Periods.work(Duration.ofNanos(random.nextLong(1_000_000)));
                }
            }
            return mine;
        });
        assertThat(Set.copyOf(written)).hasSameSizeAs(written).isEqualTo(Set.copyOf(told));
    }

    @Test
    void anErrorOfTheWriterReachesAllAndTheNextAreWritten() throws Exception {
        AtomicInteger writes = new AtomicInteger();
        AtomicInteger errors = new AtomicInteger();
        GroupCommit<NewJob, JobId> group = group((jobs, doubt) -> {
            if (writes.incrementAndGet() % 2 == 0) {
                throw new StackOverflowError("deep");
            }
            return jobs.stream().map(NewJob::id).toList();
        });
        List<JobId> told = inThreads(thread -> {
            List<JobId> mine = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                try {
                    mine.addAll(group.write(List.of(JobDraft.plain("a"))));
                } catch (StackOverflowError e) {
                    errors.incrementAndGet();
                }
            }
            return mine;
        });
        assertThat(told).hasSize(THREADS * CALLS - errors.get()).doesNotHaveDuplicates();
    }

    @Test
    void aLostAcknowledgementIsEachCallersOwn() throws Exception {
        GroupCommit<NewJob, JobId> group = group((jobs, doubt) -> {
            throw new EnqueueOutcomeUnknown(jobs.stream().map(NewJob::id).toList(), new SQLException("gone", "08006"));
        });
        ConcurrentLinkedQueue<JobId> seen = new ConcurrentLinkedQueue<>();
        inThreads(thread -> {
            for (int i = 0; i < CALLS; i++) {
                NewJob job = JobDraft.named("a").job();
                assertThatThrownBy(() -> group.write(List.of(job)))
                        .isInstanceOfSatisfying(EnqueueOutcomeUnknown.class, e -> seen.addAll(e.ids()));
                assertThat(seen).contains(job.id());
            }
            return List.of();
        });
        assertThat(seen).hasSize(THREADS * CALLS).doesNotHaveDuplicates();
    }

    @Test
    void anInterruptedCallerIsToldWhatBecameOfItsJob() {
        GroupCommit<NewJob, JobId> group =
                group((jobs, doubt) -> jobs.stream().map(NewJob::id).toList());
        Thread.currentThread().interrupt();
        assertThat(group.write(List.of(JobDraft.named("a").job()))).hasSize(1);
        assertThat(Thread.interrupted()).isTrue();
    }

    private static GroupCommit<NewJob, JobId> group(BiFunction<List<NewJob>, Boolean, List<JobId>> write) {
        return new GroupCommit<>(new GroupCommit.Work<>() {
            @Override
            public List<JobId> write(List<NewJob> jobs, boolean doubt) {
                return write.apply(jobs, doubt);
            }

            @Override
            public boolean leavesDoubt(RuntimeException e) {
                return e instanceof EnqueueOutcomeUnknown;
            }

            @Override
            public RuntimeException inDoubt(List<NewJob> jobs, RuntimeException e) {
                return new EnqueueOutcomeUnknown(jobs.stream().map(NewJob::id).toList(), e);
            }
        });
    }

    private interface Work {
        List<JobId> run(int thread);
    }

    private static List<JobId> inThreads(Work work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<List<JobId>>> runs = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                int thread = t;
                runs.add(pool.submit(() -> work.run(thread)));
            }
            List<JobId> all = new ArrayList<>();
            for (Future<List<JobId>> run : runs) {
                all.addAll(run.get(3, TimeUnit.MINUTES));
            }
            return all;
        } finally {
            pool.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
