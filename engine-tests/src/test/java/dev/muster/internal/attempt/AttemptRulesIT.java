package dev.muster.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.engine.EngineIT;
import dev.muster.internal.attempt.AttemptCases.Case;
import dev.muster.internal.attempt.AttemptCases.Expected;
import dev.muster.job.DeadLetter;
import dev.muster.job.FailedAttempt;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobListener;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.runtime.JsonCodec;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.InlineJobs;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The same handlers on a node, on the test's thread and inline: what becomes of their jobs is the same. */
class AttemptRulesIT extends EngineIT {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Longer than the waits for retries; snoozes and jobs that are put back wait longer. */
    private static final Duration A_WHILE = Duration.ofSeconds(20);

    private static final String KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    private static final JsonCodec JSON =
            ServiceLoader.load(JsonCodec.class).findFirst().orElseThrow();

    private TestDatabase clusterDatabase;
    private @Nullable Cluster cluster;

    @BeforeEach
    void openClusterDatabase() {
        clusterDatabase = TestDatabase.fromEnv();
    }

    @AfterEach
    void closeCluster() {
        if (cluster != null) {
            cluster.close();
        }
        clusterDatabase.close();
    }

    /** A cluster whose jobs the test's thread runs. */
    private Cluster cluster(Map<String, String> settings, Object... handlers) {
        cluster = Cluster.on(clusterDatabase, settings).register(handlers);
        return cluster;
    }

    /** What became of a job. */
    private record Ended(
            @Nullable JobStatus status,
            int attempt,
            @Nullable String error,
            @Nullable String earlierError,
            @Nullable Object result,
            Optional<Progress> progress) {

        static Ended of(JobInfo job) {
            return new Ended(
                    job.status(),
                    job.attempt(),
                    job.error().map(AttemptRulesIT::withoutFrames).orElse(null),
                    job.earlierError().map(AttemptRulesIT::withoutFrames).orElse(null),
                    job.result().map(text -> JSON.read(text, Object.class)).orElse(null),
                    job.progress());
        }

        static Ended refused(InvalidJob refusal) {
            return new Ended(null, 0, refusal.getMessage(), null, null, Optional.empty());
        }
    }

    /** The error up to the first frame that depends on who called the handler. */
    private static String withoutFrames(String error) {
        int frame = error.replace("\tat fixed.", "\t.. fixed.").indexOf("\n\tat ");
        return frame < 0 ? error : error.substring(0, frame);
    }

    /** What listeners are told about each job. */
    private static final class Told implements JobListener {
        private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

        private record Line(JobId id, String text) {}

        @Override
        public void attemptFailed(FailedAttempt event) {
            String what = "attempt " + event.attempt() + " of " + event.maxAttempts() + ", again in " + event.retryIn();
            add(event.id(), what, event.error(), event.failure());
        }

        @Override
        public void deadLetter(DeadLetter event) {
            String what = "dead at attempt " + event.attempt() + " of " + event.maxAttempts();
            add(event.id(), what, event.error(), event.failure());
        }

        private void add(JobId id, String what, String error, Optional<Throwable> failure) {
            lines.add(new Line(
                    id,
                    what + ", " + withoutFrames(error) + ", "
                            + failure.map(e -> e.getClass().getName()).orElse("no exception")));
        }

        List<String> of(JobId id) {
            return lines.stream()
                    .filter(line -> line.id().equals(id))
                    .map(Line::text)
                    .toList();
        }
    }

    /** One way to run jobs, and what became of the job that it ran last. */
    private static final class Side {
        private final String name;
        private final Jobs jobs;
        private final Consumer<JobId> run;
        private final Told told;
        private @Nullable JobId last;

        Side(String name, Jobs jobs, Consumer<JobId> run, Told told) {
            this.name = name;
            this.jobs = jobs;
            this.run = run;
            this.told = told;
        }

        Ended run(Case one) {
            last = null;
            try {
                last = jobs.enqueue(one.request());
            } catch (InvalidJob e) {
                return Ended.refused(e);
            }
            run.accept(last);
            return Ended.of(jobs.find(last).orElseThrow());
        }

        List<String> told() {
            return last == null ? List.of() : told.of(last);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    @TestFactory
    Stream<DynamicTest> whatBecomesOfAJobIsTheSameEverywhere() {
        Map<String, Case> nodeCases = AttemptCases.with(database.dataSource());
        Map<String, Case> clusterCases = AttemptCases.with(clusterDatabase.dataSource());
        Side node = onNode(nodeCases);
        Side testThread = onTestThread(clusterCases);
        Side inline = inline(nodeCases);
        return nodeCases.keySet().stream()
                .map(name -> DynamicTest.dynamicTest(name, () -> {
                    Ended onNode = check(node, nodeCases.get(name));
                    Ended onTestThread = check(testThread, clusterCases.get(name));
                    assertThat(onTestThread).as("%s on the test's thread", name).isEqualTo(onNode);
                    if (nodeCases.get(name).inline()) {
                        Ended inlined = check(inline, nodeCases.get(name));
                        assertThat(inlined).as("%s inline", name).isEqualTo(onNode);
                    }
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(node.told())
                                    .as("what listeners were told of %s", name)
                                    .isEqualTo(testThread.told()));
                    assertThat(Thread.interrupted())
                            .as("%s has left the test's thread interrupted", name)
                            .isFalse();
                }));
    }

    /** With one thread, a case would see what the case before it has left behind. */
    private Side onNode(Map<String, Case> cases) {
        Told told = new Told();
        Muster node = start(builder(Map.of("worker.concurrency", "1"), handlers(cases))
                .interceptor(new AttemptCases.Interceptor())
                .listener(told));
        return new Side("a node", node.jobs(), id -> awaitSettled(node, id), told);
    }

    private Side onTestThread(Map<String, Case> cases) {
        Told told = new Told();
        Cluster cluster = cluster(Map.of(), handlers(cases))
                .intercept(new AttemptCases.Interceptor())
                .listen(told);
        return new Side("the test's thread", cluster.jobs(), id -> runUntilSettled(cluster, id), told);
    }

    /** Runs nothing but this job: a job that an earlier case has left behind stays where it is. */
    private static void runUntilSettled(Cluster cluster, JobId id) {
        while (!isSettled(cluster.jobs().find(id).orElseThrow())) {
            Duration untilDue = Duration.between(
                    cluster.now(), cluster.jobs().find(id).orElseThrow().runAt());
            if (!untilDue.isNegative()) {
                cluster.clock().advance(untilDue);
            }
            cluster.runOne();
        }
    }

    private static Side inline(Map<String, Case> cases) {
        return new Side("jobs that run inline", new InlineJobs(handlers(cases)), id -> {}, new Told());
    }

    private static Object[] handlers(Map<String, Case> cases) {
        return cases.values().stream().map(Case::handler).toArray();
    }

    /** Waits until the job has ended, or is due much later. */
    private static void awaitSettled(Muster node, JobId id) {
        await().atMost(PATIENCE).until(() -> isSettled(node.jobs().find(id).orElseThrow()));
    }

    private static boolean isSettled(JobInfo job) {
        boolean isDueMuchLater = job.runAt().isAfter(job.createdAt().plus(A_WHILE));
        return job.status().isTerminal() || job.status() == JobStatus.PENDING && isDueMuchLater;
    }

    private static Ended check(Side side, Case one) {
        Ended ended = side.run(one);
        Expected expected = one.expected();
        String where = one.handler().name() + " on " + side;
        assertThat(ended.status()).as("status of %s: %s", where, ended.error()).isEqualTo(expected.status());
        assertThat(ended.attempt()).as("attempt of %s", where).isEqualTo(expected.attempt());
        assertThat(ended.result()).as("result of %s", where).isEqualTo(expected.result());
        if (expected.error() == null) {
            assertThat(ended.error()).as("error of %s", where).isNull();
        } else {
            assertThat(ended.error()).as("error of %s", where).startsWith(expected.error());
        }
        return ended;
    }

    @Test
    void aJobKeepsTheSameLogLinesEverywhere() throws Exception {
        JobHandler talks = JobHandler.named("talks").run((ctx, none) -> {
            ctx.log().info("a\0b");
            ctx.log().warn("x".repeat(5_000));
            IntStream.range(0, 1_100).forEach(i -> ctx.log().error("line {}", i));
        });
        Muster node = node(talks);
        JobId onNode = node.jobs().enqueue("talks", null);
        ended(node, onNode);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(lines(node.jobs(), onNode)).hasSize(1_001));

        Cluster cluster = cluster(Map.of(), talks);
        InlineJobs inline = new InlineJobs(talks);
        assertThat(lines(cluster.jobs(), cluster.run(JobRequest.of("talks")).id()))
                .isEqualTo(lines(node.jobs(), onNode));
        assertThat(lines(inline, inline.enqueue("talks", null))).isEqualTo(lines(node.jobs(), onNode));
    }

    private static List<String> lines(Jobs jobs, JobId id) {
        return jobs.logs(id, 0, 2_000).stream()
                .map(line -> line.attempt() + " " + line.level() + " " + line.message())
                .toList();
    }

    @Test
    void encryptedArgsThatDoNotFitAreNotQuotedAnywhere() {
        Map<String, String> key = Map.of("encryption.keys", "k1=" + KEY);
        Map<String, Case> cases = AttemptCases.with(database.dataSource());
        Case unfit = cases.get("args_that_do_not_fit");
        Muster node = node(key, handlers(cases));
        Cluster cluster = cluster(key, handlers(cases));

        JobId id = node.jobs().enqueue(unfit.request());
        awaitSettled(node, id);
        Ended ended = Ended.of(node.jobs().find(id).orElseThrow());

        assertThat(ended.error()).endsWith("what is wrong is not said, because they are encrypted");
        assertThat(Ended.of(cluster.run(unfit.request()))).isEqualTo(ended);
    }

    @Test
    void aJobWhoseArgsCannotBeDecryptedIsPutBackEverywhere() {
        JobHandler handler = JobHandler.named("secret").args(String.class).run((ctx, args) -> {});
        Map<String, String> otherKey = Map.of("encryption.keys", "k2=" + KEY);
        Muster node = node(otherKey, handler);
        JobId onNode = enqueueWithKey(database);
        awaitSettled(node, onNode);
        JobInfo putBack = node.jobs().find(onNode).orElseThrow();

        Cluster cluster = cluster(otherKey, handler);
        JobId onCluster = enqueueWithKey(clusterDatabase);
        cluster.drain();
        JobInfo same = cluster.jobs().find(onCluster).orElseThrow();

        assertThat(putBack.status()).isEqualTo(JobStatus.PENDING);
        assertThat(putBack.attempt()).isZero();
        assertThat(same.status()).isEqualTo(JobStatus.PENDING);
        assertThat(same.attempt()).isZero();
        String error = putBack.error().orElseThrow();
        assertThat(error).startsWith("put back in the queue by node node-1: ").contains("'k1'");
        assertThat(same.error())
                .contains(error.replace("node-1", "test-thread").replace(onNode.toString(), onCluster.toString()));
    }

    /** Enqueues a job as a process that has the key k1. */
    private static JobId enqueueWithKey(TestDatabase database) {
        try (Muster client = Muster.builder()
                .config(MusterConfig.defaults().with("encryption.keys", "k1=" + KEY))
                .dataSource(database.dataSource())
                .build()) {
            return client.jobs().enqueue("secret", "text");
        }
    }

    @Test
    void aJobThatHasReachedItsLimitOfCrashesIsNotEnteredAnywhere() {
        JobHandler handler = JobHandler.named("crashed").handle((ctx, none) -> "entered");
        Muster node = node(handler);
        JobId onNode = crashed(node.jobs(), database);
        awaitSettled(node, onNode);

        Cluster cluster = cluster(Map.of(), handler);
        JobId onCluster = crashed(cluster.jobs(), clusterDatabase);
        cluster.drain();

        Ended ended = Ended.of(node.jobs().find(onNode).orElseThrow());
        assertThat(ended.status()).isEqualTo(JobStatus.FAILED);
        assertThat(ended.error()).isEqualTo("its node died running it 5 times; too often to try again");
        assertThat(Ended.of(cluster.jobs().find(onCluster).orElseThrow())).isEqualTo(ended);
    }

    private static JobId crashed(Jobs jobs, TestDatabase database) {
        JobId id = jobs.enqueue(JobRequest.of("crashed").delay(Duration.ofHours(1)));
        database.execute("UPDATE muster_jobs SET crashes = 5, run_at = muster_clock(), ready_at = muster_clock()"
                + " WHERE id = '" + id + "'");
        return id;
    }
}
