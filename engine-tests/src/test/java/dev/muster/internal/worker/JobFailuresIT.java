package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.engine.EngineIT;
import dev.muster.job.Backoff;
import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.FailedAttempt;
import dev.muster.job.Job;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobListener;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.LogLine;
import dev.muster.job.RetryPolicy;
import dev.muster.job.TypeRef;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Failures leave a line in the log and can be listened to; handlers decide about retries and enqueue. */
class JobFailuresIT extends EngineIT {
    private static final JobType<List<Integer>, List<String>> SPELL =
            JobType.of("spell", new TypeRef<List<Integer>>() {}, new TypeRef<List<String>>() {});
    private static final JobType<String, Void> ELSEWHERE = JobType.of("elsewhere", String.class);

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.muster.job.failures");
    private final Lines lines = new Lines();
    private final Events events = new Events();

    /** Other tests log at the same time: a line is known by the id of its job. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {
        final Queue<ILoggingEvent> all = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            all.add(event);
        }

        List<ILoggingEvent> of(JobId id) {
            return all.stream()
                    .filter(line -> line.getFormattedMessage().contains("job=" + id + " "))
                    .toList();
        }
    }

    /** What a listener is told. */
    private static final class Events implements JobListener {
        final Queue<FailedAttempt> attempts = new ConcurrentLinkedQueue<>();
        final Queue<DeadLetter> deadLetters = new ConcurrentLinkedQueue<>();
        final Queue<ExpiredJob> expired = new ConcurrentLinkedQueue<>();

        @Override
        public void attemptFailed(FailedAttempt event) {
            attempts.add(event);
        }

        @Override
        public void deadLetter(DeadLetter event) {
            deadLetters.add(event);
        }

        @Override
        public void expired(ExpiredJob event) {
            expired.add(event);
        }

        DeadLetter deadLetter(JobId id) {
            await().atMost(PATIENCE)
                    .until(() ->
                            deadLetters.stream().anyMatch(event -> event.id().equals(id)));
            return deadLetters.stream()
                    .filter(event -> event.id().equals(id))
                    .findFirst()
                    .orElseThrow();
        }

        List<FailedAttempt> attempts(JobId id) {
            return attempts.stream().filter(event -> event.id().equals(id)).toList();
        }
    }

    /** Handlers under test. */
    static final class Handlers {
        final Connections connections;

        Handlers(Connections connections) {
            this.connections = connections;
        }

        @FunctionalInterface
        interface Connections {
            Connection get() throws SQLException;
        }

        @Job(value = "boom", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "20ms"))
        void boom() {
            throw new IllegalStateException("it went boom");
        }

        @Job(value = "sleepy", maxAttempts = 1, timeout = "100ms")
        void sleepy() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Job(value = "busy_service", maxAttempts = 3, retryOn = IOException.class)
        void busyService(JobContext ctx) {
            throw ctx.retryIn(Duration.ofMillis(ctx.attempt()), "429 Too Many Requests");
        }

        @Job("unstorable")
        String unstorable() {
            return "\0";
        }

        @Job("parent")
        String parent(JobContext ctx) {
            ctx.log().info("enqueues {} for attempt {}", "boom", ctx.attempt());
            return ctx.jobs()
                    .enqueue(JobRequest.of("boom", null).maxAttempts(1))
                    .toString();
        }

        @Job(value = "outbox", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        void outbox(JobContext ctx) throws SQLException {
            try (Connection connection = connections.get()) {
                connection.setAutoCommit(false);
                ctx.jobs().in(connection).enqueue(JobRequest.of("parent", null).tags("of-attempt-" + ctx.attempt()));
                ctx.completeIn(connection);
                if (ctx.attempt() == 1) {
                    connection.rollback();
                    throw new IllegalStateException("rolled back");
                }
                connection.commit();
            }
        }
    }

    @BeforeEach
    void listen() {
        lines.setContext(logger.getLoggerContext());
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    private Muster started(Object... handlers) {
        MusterBuilder builder = builder(Map.of(), handlers).listener(events);
        return start(builder);
    }

    @Test
    void aJobShowsEveryAttemptWithItsNodeTimeAndError() throws InterruptedException {
        Muster node = started(new Handlers(() -> database.dataSource().getConnection()));
        JobId id = node.jobs().enqueue(JobRequest.of("boom", null).maxAttempts(3));
        ended(node, id);

        List<JobAttempt> attempts = node.jobs().attempts(id);
        assertThat(attempts).extracting(JobAttempt::attempt).containsExactly(1, 2, 3);
        assertThat(attempts)
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.FAILED);
        assertThat(attempts).allSatisfy(attempt -> {
            assertThat(attempt.node()).contains(node.nodeId());
            assertThat(attempt.error().orElseThrow()).contains("it went boom").contains("JobFailuresIT");
            assertThat(attempt.startedAt().orElseThrow()).isBeforeOrEqualTo(attempt.endedAt());
        });
    }

    @Test
    void aHandlerThatSnoozesOrIsStoppedWithItsNodeIsAnAttempt() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        JobHandler snoozesThenHangs = JobHandler.named("hangs").run((ctx, none) -> {
            if (ctx.jobs().attempts(ctx.id()).isEmpty()) {
                throw ctx.snooze(Duration.ZERO);
            }
            entered.countDown();
            new CountDownLatch(1).await();
        });
        Muster node = start(builder(Map.of("worker.drain_timeout", "0s"), snoozesThenHangs));
        JobId id = node.jobs().enqueue("hangs", null);
        assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
        node.close();

        Muster reader = node(Map.of("node.mode", "observer"));
        assertThat(reader.jobs().attempts(id))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.SNOOZED, JobAttempt.Outcome.RELEASED);
    }

    private JobHandler throttled() {
        return JobHandler.named("throttled")
                .retry(RetryPolicy.fixed(2, Duration.ofHours(1))
                        .withDelays((attempt, failure) -> failure instanceof IOException ? Duration.ofMillis(5) : null))
                .run((ctx, none) -> {
                    throw new IOException("slow down");
                });
    }

    /** Two quick attempts, then one after an hour; bad input is not tried again. */
    private static final class QuickThenSlow implements RetryPolicy {
        @Override
        public int maxAttempts() {
            return 3;
        }

        @Override
        public boolean retries(Throwable failure) {
            return !(failure instanceof IllegalArgumentException);
        }

        @Override
        public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
            return attempt == 1 ? Duration.ofMillis(5) : Duration.ofHours(1);
        }
    }

    @Test
    void aNodeAsksAPolicyOfTheUsersOwn() throws Exception {
        Muster node = started(
                JobHandler.named("io").retry(new QuickThenSlow()).run((ctx, none) -> {
                    throw new IOException("not now");
                }),
                JobHandler.named("bad").retry(new QuickThenSlow()).run((ctx, none) -> {
                    throw new IllegalArgumentException("never");
                }));
        JobId bad = node.jobs().enqueue("bad", null);
        JobId twice = node.jobs().enqueue(JobRequest.of("io").maxAttempts(2));
        JobId waits = node.jobs().enqueue("io", null);

        assertThat(events.deadLetter(bad).attempt()).isEqualTo(1);
        assertThat(events.deadLetter(twice).attempt())
                .as("the job's own limit counts")
                .isEqualTo(2);
        await().untilAsserted(() -> assertThat(events.attempts(waits))
                .extracting(FailedAttempt::attempt, FailedAttempt::retryIn)
                // Two pumps may tell them in either order.
                .containsExactlyInAnyOrder(tuple(1, Duration.ofMillis(5)), tuple(2, Duration.ofHours(1))));
        assertThat(node.jobs().find(waits).orElseThrow().maxAttempts()).isEqualTo(3);
    }

    @Test
    void failuresAreLoggedAndTold() throws Exception {
        Muster node = started(new Handlers(database.dataSource()::getConnection), throttled());
        JobId boom = node.jobs().enqueue("boom", null);
        JobId sleepy = node.jobs().enqueue("sleepy", null);
        JobId busy = node.jobs().enqueue("busy_service", null);
        JobId throttled = node.jobs().enqueue("throttled", null);
        JobId unstorable = node.jobs().enqueue("unstorable", null);
        JobId expired = node.jobs().enqueue(JobRequest.of(ELSEWHERE, "x").expiresIn(Duration.ofMillis(50)));

        DeadLetter letter = events.deadLetter(boom);
        assertThat(letter.attempt()).isEqualTo(2);
        assertThat(letter.maxAttempts()).isEqualTo(2);
        assertThat(letter.name()).isEqualTo("boom");
        assertThat(letter.queue()).isEqualTo("default");
        assertThat(letter.node()).isEqualTo(node.nodeId());
        assertThat(letter.error()).contains("it went boom", "at dev.muster");
        assertThat(letter.failure().orElseThrow()).isInstanceOf(IllegalStateException.class);
        // Told only after the database has accepted it.
        assertThat(node.jobs().find(boom).orElseThrow().status()).isEqualTo(JobStatus.FAILED);
        await().untilAsserted(() -> assertThat(events.attempts(boom))
                .singleElement()
                .satisfies(failed -> {
                    assertThat(failed.attempt()).isEqualTo(1);
                    assertThat(failed.retryIn()).isBetween(Duration.ofMillis(16), Duration.ofMillis(24));
                }));
        assertThat(lines.of(boom))
                .satisfiesExactly(
                        first -> {
                            assertThat(first.getLevel()).isEqualTo(Level.DEBUG);
                            assertThat(first.getFormattedMessage())
                                    .contains("name=boom attempt 1 of 2 failed, tried again in");
                            assertThat(first.getThrowableProxy()).isNotNull();
                        },
                        second -> {
                            assertThat(second.getLevel()).isEqualTo(Level.WARN);
                            assertThat(second.getFormattedMessage())
                                    .contains("name=boom is a dead letter: attempt 2 of 2", "it went boom");
                            assertThat(second.getThrowableProxy().getMessage()).isEqualTo("it went boom");
                        });

        assertThat(events.deadLetter(sleepy).error()).contains("timed out after 100 ms");
        assertThat(lines.of(sleepy))
                .singleElement()
                .satisfies(line ->
                        assertThat(line.getFormattedMessage()).contains("is a dead letter", "timed out after 100 ms"));

        assertThat(events.deadLetter(busy).attempt()).isEqualTo(3);
        assertThat(events.deadLetter(busy).error()).contains("429 Too Many Requests");
        // What another pump has written may be told after the dead letter.
        await().untilAsserted(() -> assertThat(events.attempts(busy))
                .extracting(FailedAttempt::retryIn)
                .containsExactlyInAnyOrder(Duration.ofMillis(1), Duration.ofMillis(2)));

        assertThat(events.deadLetter(throttled).error()).contains("slow down");
        await().untilAsserted(() -> assertThat(events.attempts(throttled))
                .extracting(FailedAttempt::retryIn)
                .containsExactly(Duration.ofMillis(5)));

        assertThat(events.deadLetter(unstorable).error()).contains("a text contains the character U+0000");
        assertThat(lines.of(unstorable)).hasSize(1);

        await().atMost(PATIENCE).until(() -> !events.expired.isEmpty());
        assertThat(events.expired).containsExactly(new ExpiredJob(expired, "elsewhere", "default", 0));
        assertThat(lines.of(expired))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage()).contains("name=elsewhere", "expired"));
    }

    @Test
    void aDeadLetterThatIsDecidedElsewhereIsToldByWhoDecidesIt() {
        Muster node = start(builder(SWEEPING, new Handlers(database.dataSource()::getConnection))
                .listener(events));
        JobId id = leftByADeadNode(node);

        DeadLetter letter = events.deadLetter(id);
        assertThat(letter)
                .isEqualTo(new DeadLetter(
                        id,
                        "elsewhere",
                        "default",
                        2,
                        4,
                        1,
                        "ghost",
                        "node ghost died running it (crash 1); too often to try again",
                        Optional.empty()));
        assertThat(lines.of(id))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("name=elsewhere is a dead letter: attempt 2 of 4 on node=ghost", "died running it"));
    }

    private static final Map<String, String> SINGLE =
            Map.of("worker.claiming", "false", "worker.lease", "1500ms", "worker.renew", "300ms");

    @Test
    void theOnlyWorkerTellsWhatItFindsDead() {
        try (Muster client = builder(Map.of()).build()) {
            client.migrate();
            JobId id = leftByADeadNode(client);

            start(builder(SINGLE, new Handlers(database.dataSource()::getConnection))
                    .listener(events));
            assertThat(events.deadLetter(id).node()).isEqualTo("ghost");
            assertThat(lines.of(id)).hasSize(1);
        }
    }

    private JobId leftByADeadNode(Muster muster) {
        JobId id = muster.jobs().enqueue(JobRequest.of(ELSEWHERE, "x").maxCrashes(1));
        database.execute("UPDATE muster_jobs SET status = 'running', node_id = 'ghost', attempt = 2, max_attempts = 4,"
                + " token = nextval('muster_job_token_seq'), started_at = muster_clock(),"
                + " lease_until = muster_clock() - interval '1 second'");
        database.execute("INSERT INTO muster_claims (node_id, number, lease_until, ids)"
                + " SELECT node_id, token, lease_until, ARRAY[id] FROM muster_jobs");
        return id;
    }

    @Test
    void aListenerThatHangsOrThrowsStopsNoJob() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        CountDownLatch called = new CountDownLatch(1);
        MusterBuilder builder = builder(Map.of(), new Handlers(database.dataSource()::getConnection))
                .listener(new JobListener() {
                    @Override
                    public void deadLetter(DeadLetter event) {
                        called.countDown();
                        try {
                            gate.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        throw new IllegalStateException("listener");
                    }
                })
                .onDeadLetter(events::deadLetter);
        Muster node = start(builder);
        JobId first = node.jobs().enqueue(JobRequest.of("boom", null).maxAttempts(1));
        assertThat(called.await(90, TimeUnit.SECONDS)).isTrue();

        for (int i = 0; i < 50; i++) {
            node.jobs().enqueue(JobRequest.of("boom", null).maxAttempts(1));
        }
        assertThat(ended(node, node.jobs().enqueue("parent", null)).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(events.deadLetters).isEmpty();

        gate.countDown();
        assertThat(events.deadLetter(first).name()).isEqualTo("boom");
    }

    @Test
    void handlersEnqueueAndTypesMayHaveParameters() throws Exception {
        JobHandler spell = JobHandler.of(SPELL)
                .handle((ctx, numbers) ->
                        numbers.stream().map(n -> n == 1 ? "one" : "many").toList());
        Muster node = started(new Handlers(database.dataSource()::getConnection), spell);

        JobInfo spelled = ended(node, node.jobs().enqueue(SPELL, List.of(1, 2)));
        assertThat(node.jobs().result(SPELL, spelled)).containsExactly("one", "many");

        JobId parent = node.jobs().enqueue("parent", null);
        String child = ended(node, parent).result().orElseThrow().replace("\"", "");
        assertThat(ended(node, JobId.of(child)).error().orElseThrow()).contains("it went boom");
        await().until(() -> !node.jobs().logs(parent, 0, 10).isEmpty());
        assertThat(node.jobs().logs(parent, 0, 10))
                .extracting(LogLine::message)
                .containsExactly("enqueues boom for attempt 1");

        JobInfo outbox = ended(node, node.jobs().enqueue("outbox", null));
        assertThat(outbox.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(database.column("SELECT tags::text FROM muster_jobs WHERE name = 'parent' AND tags <> '{}'"
                        + " UNION SELECT tags::text FROM muster_job_history WHERE name = 'parent' AND tags <> '{}'"))
                .containsExactly("{of-attempt-2}");
    }
}
