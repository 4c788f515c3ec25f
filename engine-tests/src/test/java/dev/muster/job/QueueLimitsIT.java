package dev.muster.job;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.engine.UninterruptibleHandler;
import dev.muster.testing.Sizes;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Limited queues on several nodes, with the polling intervals that a user gets. */
class QueueLimitsIT {
    private static final Map<String, String> DEFAULT_POLLING = Map.of(
            "worker.poll_interval", "200ms",
            "worker.max_poll_interval", "10s",
            "worker.concurrency", "4",
            "worker.lease", "60s",
            "worker.renew", "1s");
    private static final Duration LONG = Duration.ofSeconds(90);

    /** A node with these looks so rarely that only a wake-up can explain what it does. */
    private static final Map<String, String> ONLY_WHEN_WOKEN =
            Map.of("worker.poll_interval", "1h", "worker.max_poll_interval", "1h");

    private TestDatabase database;
    private Cluster cluster;
    private final Work work = new Work();

    /** Handlers that count how many of them run at a time. */
    static final class Work {
        final AtomicInteger running = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final AtomicInteger done = new AtomicInteger();
        final AtomicInteger others = new AtomicInteger();
        final CountDownLatch manyOthers = new CountDownLatch(100);
        final Semaphore held = new Semaphore(0);
        final Semaphore never = new Semaphore(0);

        @Job(value = "count", queue = "scarce")
        void count() throws InterruptedException {
            enter();
            never.tryAcquire(500, TimeUnit.MICROSECONDS);
            leave();
        }

        @Job(value = "hold", queue = "scarce")
        void hold() throws InterruptedException {
            enter();
            try {
                held.acquire();
            } finally {
                leave();
            }
        }

        @Job(value = "complete_in", queue = "scarce")
        void completeIn(JobContext ctx) throws Exception {
            enter();
            try (Connection connection = ctx.connection()) {
                connection.setAutoCommit(false);
                held.acquire();
                leave();
                ctx.completeIn(connection);
                connection.commit();
            }
        }

        /** The last of its kind, which stays until many others have run. */
        @Job(value = "last", queue = "scarce")
        void last() throws InterruptedException {
            enter();
            manyOthers.await();
            leave();
        }

        @Job("other")
        void other() throws InterruptedException {
            never.tryAcquire(500, TimeUnit.MICROSECONDS);
            others.incrementAndGet();
            manyOthers.countDown();
        }

        private void enter() {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
        }

        private void leave() {
            running.decrementAndGet();
            done.incrementAndGet();
        }
    }

    @BeforeEach
    void open() {
        database = TestDatabase.fromEnv();
        cluster = Cluster.on(database, DEFAULT_POLLING);
        cluster.register(work);
    }

    @AfterEach
    void close() {
        work.held.release(1_000_000);
        cluster.close();
        database.close();
    }

    private Queues queues() {
        return cluster.client().queues();
    }

    private void limit(int jobs) {
        queues().limit("scarce", QueueLimit.maxRunning(jobs));
    }

    private void enqueue(String name, int jobs) {
        cluster.jobs().enqueueAll(Collections.nCopies(jobs, JobRequest.of(name)));
    }

    private QueueInfo scarce() {
        return queues().list().stream()
                .filter(queue -> queue.name().equals("scarce"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void neverMoreJobsRunThanTheLimitAndAllOfThemRun() {
        int jobs = Sizes.of(150, 3_000);
        limit(3);
        enqueue("count", jobs);
        for (int i = 0; i < 4; i++) {
            cluster.node();
        }

        await().atMost(LONG).until(() -> work.done.get() == jobs);
        assertThat(work.most).hasValueLessThanOrEqualTo(3);
    }

    @Test
    void asManyRunAsTheLimitAllows() {
        limit(3);
        enqueue("hold", 10);
        cluster.node();
        cluster.node();
        await().atMost(LONG).until(() -> work.running.get() == 3);

        work.held.release(10);

        await().atMost(LONG).until(() -> work.done.get() == 10);
        assertThat(work.most).hasValue(3);
    }

    @Test
    void aLimitSetWhileJobsRunHoldsFromThenOn() {
        cluster.node();
        cluster.node();
        enqueue("hold", 20);
        await().atMost(LONG).until(() -> work.running.get() == 8);

        limit(2);
        work.held.release(6);
        await().atMost(LONG).until(() -> work.done.get() == 6);
        assertThat(work.running).hasValue(2);
        work.most.set(0);
        for (int i = 7; i <= 20; i++) {
            int jobs = i;
            work.held.release();
            await().atMost(LONG).until(() -> work.done.get() == jobs);
        }
        assertThat(work.most).as("most at a time since").hasValueLessThanOrEqualTo(2);
    }

    @Test
    void aJobThatWaitsForAPlaceSaysSo() {
        limit(1);
        cluster.node();
        enqueue("hold", 1);
        await().atMost(LONG).until(() -> work.running.get() == 1);

        JobId waiting = cluster.jobs().enqueue(JobRequest.of("hold"));

        assertThat(cluster.jobs().find(waiting).orElseThrow().waitingReason())
                .contains("queue 'scarce' runs 1 of at most 1 job");
    }

    @Test
    void aJobThatWaitsForAThreadSaysWithWhichQueuesItsOwnTakesTurns() {
        limit(2);
        queues().limit("rare", QueueLimit.maxRunning(1));
        queues().limit("idle", QueueLimit.maxRunning(1));
        cluster.node();
        cluster.jobs().enqueueAll(Collections.nCopies(4, JobRequest.of("hold").queue("plain")));
        await().atMost(LONG).until(() -> work.running.get() == 4);
        cluster.jobs().enqueue(JobRequest.of("hold").queue("rare"));

        JobId waiting = cluster.jobs().enqueue(JobRequest.of("hold"));

        assertThat(cluster.jobs().find(waiting).orElseThrow().waitingReason().orElseThrow())
                .startsWith("all 4 slots of executor default on 1 node are taken")
                .endsWith("; queue 'scarce' runs 0 of at most 2 jobs and takes turns with 'rare' and with queues"
                        + " without a limit");
    }

    @Test
    void aRaisedAndARemovedLimitTakeEffectAtOnce() {
        limit(1);
        cluster.node(ONLY_WHEN_WOKEN);
        enqueue("hold", 20);
        await().atMost(LONG).until(() -> work.running.get() == 1);

        limit(3);
        await().atMost(LONG).until(() -> work.running.get() == 3);
        queues().limit("scarce", QueueLimit.NONE);
        await().atMost(LONG).until(() -> work.running.get() == 4);
    }

    @Test
    void aNodeThatLeavesHandsItsPlaceToAnother() {
        limit(1);
        Node first = cluster.node();
        enqueue("hold", 2);
        await().atMost(LONG).until(() -> work.running.get() == 1);
        cluster.node();
        Thread closing = new Thread(first::close);
        closing.start();
        await().atMost(LONG).until(() -> scarce().claimed() + scarce().running() == 1);

        work.held.release();

        await().atMost(LONG).until(() -> work.running.get() == 1 && work.done.get() == 1);
    }

    @Test
    void aPlaceIsUsedByNodesThatCanRunOtherJobs() {
        limit(1);
        Work mine = new Work();
        UninterruptibleHandler stubborn = new UninterruptibleHandler();
        cluster.node(stubborn);
        JobId first = cluster.jobs().enqueue(JobRequest.of("stubborn").queue("scarce"));
        await().atMost(LONG).until(() -> scarce().claimed() + scarce().running() == 1);
        cluster.node(ONLY_WHEN_WOKEN, mine);
        enqueue("hold", 1);
        await().atMost(LONG).until(() -> scarce().pending() == 1);
        nothingHappensFor(
                Duration.ofMillis(500),
                () -> assertThat(mine.running)
                        .as("a handler that ignores its interruption keeps its place")
                        .hasValue(0));

        stubborn.release.countDown();

        await().atMost(LONG).until(() -> mine.running.get() == 1);
        assertThat(cluster.awaitEnded(first, Duration.ofSeconds(90)).status()).isEqualTo(JobStatus.FAILED);
        mine.held.release();
    }

    @Test
    void aJobThatCompletesInItsOwnTransactionFreesItsPlace() {
        limit(1);
        cluster.node(ONLY_WHEN_WOKEN);
        enqueue("complete_in", 3);

        for (int i = 1; i <= 3; i++) {
            int jobs = i;
            await().atMost(LONG).until(() -> work.running.get() == 1);
            work.held.release();
            await().atMost(LONG).until(() -> work.done.get() == jobs);
        }
        assertThat(work.most).hasValue(1);
    }

    @Test
    void queuesWithAndWithoutALimitDoNotWaitForEachOther() {
        int others = Sizes.of(10_000, 40_000);
        limit(2);
        enqueue("other", others);
        enqueue("count", 19);
        enqueue("last", 1);
        // So few at a time that not nearly all of them come before the twenty.
        cluster.node(Map.of("worker.prefetch", "8"));

        await().atMost(LONG).until(() -> work.done.get() == 20);
        assertThat(work.others).hasValueBetween(100, others - 1);
    }

    @Test
    void theJobsOfANodeThatDiesGiveTheirPlacesBack() {
        limit(2);
        Node dying = cluster.node();
        enqueue("hold", 4);
        await().atMost(LONG).until(() -> work.running.get() == 2);
        cluster.node();

        dying.crash();
        cluster.clock().advance(Duration.ofSeconds(61));

        await().atMost(LONG).until(() -> scarce().pending() == 2 && work.running.get() == 2);
    }
}
