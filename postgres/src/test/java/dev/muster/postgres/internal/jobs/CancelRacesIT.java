package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Cancellation;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
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
import java.util.concurrent.CountDownLatch;
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
    private static final int JOBS = Sizes.of(300, 1_000);

    private final Map<JobId, JobStatus> promised = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private FreshDatabase database;
    private PostgresStore store;

    /** Its next transaction that has locked or written something, once the latch is set, stops before its commit. */
    private PostgresStore slow;

    private volatile CountDownLatch atCommit;
    private final CountDownLatch go = new CountDownLatch(1);

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.store();
        slow = new PostgresStore(
                WatchedConnections.of(database.dataSource(), (connection, method, text) -> {
                    CountDownLatch reached = atCommit;
                    if (method.equals("commit") && reached != null && hasWritten(connection)) {
                        reached.countDown();
                        assertThat(go.await(2, TimeUnit.MINUTES)).isTrue();
                    }
                }),
                MusterConfig.defaults());
    }

    @AfterEach
    void close() {
        go.countDown();
        threads.shutdownNow();
        slow.close();
        store.close();
        database.close();
    }

    private static boolean hasWritten(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")) {
            return rows.next() && rows.getBoolean(1);
        }
    }

    /** Runs until just before the commit. */
    private <T> Future<T> beforeItsCommit(Callable<T> work) throws InterruptedException {
        atCommit = new CountDownLatch(1);
        Future<T> running = threads.submit(work);
        assertThat(atCommit.await(2, TimeUnit.MINUTES)).isTrue();
        return running;
    }

    private <T> T afterItsCommit(Future<T> running) throws Exception {
        go.countDown();
        return running.get(2, TimeUnit.MINUTES);
    }

    private JobId enqueue() {
        return store.jobs()
                .enqueue(List.of(
                        JobDraft.named("a").expiresIn(Duration.ofMinutes(10)).job()))
                .get(0);
    }

    private static List<JobId> claim(PostgresStore store) {
        return session(store, "n").exchange(List.of(), 1).claimed().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    private static ClaimSession session(PostgresStore store, String node) {
        return store.claims().openClaims(new ClaimFilter(node, null, Set.of(), null, Duration.ofMinutes(5)));
    }

    private static List<JobId> expire(PostgresStore store) {
        return store.leaders().unfenced(tx -> store.recovery().expire(tx, 50, true)).stream()
                .map(ExpiredJob::id)
                .toList();
    }

    private void pastTheExpiry() {
        database.advance(Duration.ofMinutes(11));
    }

    private JobStatus status(JobId id) {
        return store.jobReader().find(id).orElseThrow().status();
    }

    @Test
    void aCancellationUnderWayKeepsClaimsAway() throws Exception {
        JobId id = enqueue();
        Future<Cancellation> cancellation = beforeItsCommit(() -> slow.jobs().cancel(id));
        assertThat(claim(store)).isEmpty();
        assertThat(afterItsCommit(cancellation)).isEqualTo(Cancellation.CANCELLED);
        assertThat(claim(store)).isEmpty();
        assertThat(status(id)).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void aClaimUnderWayIsAskedToStopOnceItIsThere() throws Exception {
        JobId id = enqueue();
        Future<List<JobId>> claim = beforeItsCommit(() -> claim(slow));
        assertThat(store.jobs().cancel(id)).as("nobody waits for the claim").isEqualTo(Cancellation.COMPLETING);
        assertThat(afterItsCommit(claim)).containsExactly(id);
        assertThat(store.jobs().cancel(id)).isEqualTo(Cancellation.REQUESTED);
        assertThat(status(id)).isEqualTo(JobStatus.CLAIMED);
    }

    @Test
    void aCancellationUnderWayKeepsTheExpiryAway() throws Exception {
        JobId id = enqueue();
        pastTheExpiry();
        Future<Cancellation> cancellation = beforeItsCommit(() -> slow.jobs().cancel(id));
        assertThat(expire(store)).isEmpty();
        assertThat(afterItsCommit(cancellation)).isEqualTo(Cancellation.CANCELLED);
        assertThat(expire(store)).isEmpty();
        assertThat(status(id)).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void anExpiryUnderWayLeavesNothingToCancel() throws Exception {
        JobId id = enqueue();
        pastTheExpiry();
        Future<List<JobId>> expiry = beforeItsCommit(() -> expire(slow));
        assertThat(store.jobs().cancel(id)).isEqualTo(Cancellation.COMPLETING);
        assertThat(afterItsCommit(expiry)).containsExactly(id);
        assertThat(store.jobs().cancel(id)).isEqualTo(Cancellation.ALREADY_ENDED);
        assertThat(status(id)).isEqualTo(JobStatus.EXPIRED);
    }

    @Test
    void aClaimUnderWayWhenTheTimeIsOverKeepsTheExpiryAway() throws Exception {
        JobId id = enqueue();
        Future<List<JobId>> claim = beforeItsCommit(() -> claim(slow));
        pastTheExpiry();
        assertThat(expire(store)).isEmpty();
        assertThat(afterItsCommit(claim)).containsExactly(id);
        assertThat(expire(store)).isEmpty();
        assertThat(status(id)).isEqualTo(JobStatus.CLAIMED);
    }

    /** The clock is set back under it, so that the time alone would allow the claim. */
    @Test
    void anExpiryUnderWayKeepsClaimsAway() throws Exception {
        JobId id = enqueue();
        pastTheExpiry();
        Future<List<JobId>> expiry = beforeItsCommit(() -> expire(slow));
        database.advance(Duration.ofMinutes(-11));
        assertThat(claim(store)).isEmpty();
        assertThat(afterItsCommit(expiry)).containsExactly(id);
        assertThat(claim(store)).isEmpty();
        assertThat(status(id)).isEqualTo(JobStatus.EXPIRED);
    }

    @Test
    void cancelExpiryAndClaimsOfManyJobsLeaveOneOutcomeEach() throws Exception {
        Random random = new Random(Seeds.next(getClass()));
        List<NewJob> jobs = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            jobs.add(JobDraft.named("a")
                    .expiresIn(Duration.ofMillis(1 + random.nextInt(JOBS)))
                    .job());
        }
        List<JobId> ids = new ArrayList<>(store.jobs().enqueue(jobs));
        Collections.shuffle(ids, random);
        AtomicBoolean over = new AtomicBoolean();
        List<Future<?>> racers = new ArrayList<>();
        racers.add(threads.submit(claimer("n1", over)));
        racers.add(threads.submit(claimer("n2", over)));
        racers.add(threads.submit(expirer(over)));
        racers.add(threads.submit(() -> ids.forEach(this::cancel)));
        await().until(() -> store.jobReader()
                .list(JobQuery.all().status(JobStatus.PENDING, JobStatus.CLAIMED))
                .isEmpty());
        over.set(true);
        for (Future<?> racer : racers) {
            racer.get(2, TimeUnit.MINUTES);
        }

        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
        assertThat(database.number("SELECT count(*) FROM muster_job_history")).isEqualTo(JOBS);
        assertThat(database.number("SELECT count(DISTINCT id) FROM muster_job_history"))
                .isEqualTo(JOBS);
        Map<JobId, JobStatus> actual = new HashMap<>();
        store.jobReader().list(JobQuery.all().limit(10_000)).forEach(job -> actual.put(job.id(), job.status()));
        assertThat(actual).isEqualTo(promised);
    }

    private void promise(JobId id, JobStatus status) {
        JobStatus before = promised.put(id, status);
        assertThat(before).as("second outcome of " + id).isNull();
    }

    private void cancel(JobId id) {
        if (store.jobs().cancel(id) == Cancellation.CANCELLED) {
            promise(id, JobStatus.CANCELLED);
        }
    }

    private Callable<Void> expirer(AtomicBoolean over) {
        return () -> {
            while (!over.get()) {
                expire(store).forEach(id -> promise(id, JobStatus.EXPIRED));
            }
            return null;
        };
    }

    private Callable<Void> claimer(String node, AtomicBoolean over) {
        ClaimSession session = session(store, node);
        return () -> {
            while (!over.get()) {
                List<ClaimedJob> claimed = session.exchange(List.of(), 3).claimed();
                List<ClaimRef> refs = claimed.stream().map(ClaimedJob::claim).toList();
                Set<ClaimRef> cancelled =
                        refs.isEmpty() ? Set.of() : store.claims().inspect(refs).cancelled();
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
