package dev.muster.postgres.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.JobDraft;
import dev.muster.job.Cancellation;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.NewJob;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.FreshDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Claims, cancellations and expiry of the same jobs at the same time: each job has one outcome, and whoever was told so is
 * right.
 */
class CancelRacesIT {
    private static final int JOBS = 1_000;

    private FreshDatabase database;
    private PostgresJobStore store;
    private final Map<JobId, JobStatus> promised = new ConcurrentHashMap<>();

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.jobs();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void cancelExpiryAndClaimsOfAThousandJobsLeaveOneOutcomeEach() throws Exception {
        Random random = new Random(7);
        List<NewJob> jobs = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            jobs.add(JobDraft.named("a")
                    .expiresIn(Duration.ofMillis(1 + random.nextInt(1_500)))
                    .job());
        }
        List<JobId> ids = new ArrayList<>(store.enqueue(jobs));
        Collections.shuffle(ids, random);
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(5);
        List<Future<?>> racers = new ArrayList<>();
        racers.add(pool.submit(claimer("n1", over)));
        racers.add(pool.submit(claimer("n2", over)));
        racers.add(pool.submit(expirer(over)));
        Future<?> cancels = pool.submit(() -> ids.forEach(this::cancel));
        cancels.get(60, TimeUnit.SECONDS);
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> store.list(JobQuery.all().status(JobStatus.PENDING, JobStatus.CLAIMED))
                        .isEmpty());
        over.set(true);
        for (Future<?> racer : racers) {
            racer.get(60, TimeUnit.SECONDS);
        }
        pool.shutdown();

        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(database.number("SELECT count(*) FROM muster_job_history")).isEqualTo(JOBS);
        assertThat(database.number("SELECT count(DISTINCT id) FROM muster_job_history"))
                .isEqualTo(JOBS);
        Map<JobId, JobStatus> actual = new HashMap<>();
        store.list(JobQuery.all().limit(10_000)).forEach(job -> actual.put(job.id(), job.status()));
        promised.forEach(
                (id, status) -> assertThat(actual.get(id)).as(id.toString()).isEqualTo(status));
        assertThat(Set.copyOf(actual.values()))
                .contains(JobStatus.COMPLETED, JobStatus.CANCELLED)
                .doesNotContain(JobStatus.FAILED);
    }

    private void promise(JobId id, JobStatus status) {
        JobStatus before = promised.put(id, status);
        assertThat(before).as("second outcome of " + id).isNull();
    }

    private void cancel(JobId id) {
        if (store.cancel(id) == Cancellation.CANCELLED) {
            promise(id, JobStatus.CANCELLED);
        }
    }

    private Callable<Void> expirer(AtomicBoolean over) {
        return () -> {
            while (!over.get()) {
                database.store()
                        .leaders()
                        .unfenced(tx -> store.expire(tx, 50, true))
                        .forEach(job -> promise(job.id(), JobStatus.EXPIRED));
            }
            return null;
        };
    }

    private Callable<Void> claimer(String node, AtomicBoolean over) {
        ClaimSession session = store.openClaims(new ClaimScope(node, null, Set.of(), null, Duration.ofMinutes(5)));
        return () -> {
            while (!over.get()) {
                List<ClaimedJob> claimed = session.exchange(List.of(), 3).claimed();
                List<ClaimRef> refs = claimed.stream().map(ClaimedJob::claim).toList();
                Set<ClaimRef> cancelled =
                        refs.isEmpty() ? Set.of() : store.inspect(refs).cancelled();
                List<Outcome> outcomes = refs.stream()
                        .<Outcome>map(ref -> cancelled.contains(ref)
                                ? new Outcome.Cancelled(ref, "asked to")
                                : new Outcome.Completed(ref, null))
                        .toList();
                Set<ClaimRef> rejected = session.exchange(outcomes, 0).rejected();
                assertThat(rejected).isEmpty();
                refs.forEach(
                        ref -> promise(ref.id(), cancelled.contains(ref) ? JobStatus.CANCELLED : JobStatus.COMPLETED));
            }
            return null;
        };
    }
}
