package dev.muster.internal.worker;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.engine.UninterruptibleHandler;
import dev.muster.job.Backoff;
import dev.muster.job.Cancellation;
import dev.muster.job.InvalidJob;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Priority;
import dev.muster.job.RawJson;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobLifeIT extends EngineIT {
    record Name(String name) {}

    record Greeting(String text) {}

    record Numbers(int count, List<String> tags) {}

    static final JobType<Name, Greeting> HELLO = JobType.of("hello", Name.class, Greeting.class);

    /** Handlers under test. */
    static final class Handlers {
        final AtomicInteger runs = new AtomicInteger();
        final CountDownLatch never = new CountDownLatch(1);
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);
        final ConcurrentLinkedQueue<String> order = new ConcurrentLinkedQueue<>();

        @Job("hello")
        Greeting hello(JobContext ctx, Name args) {
            runs.incrementAndGet();
            return new Greeting("Hello, " + args.name());
        }

        @Job(value = "flaky", maxAttempts = 4, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "20ms"))
        int flaky(JobContext ctx) {
            if (ctx.attempt() < 3) {
                throw new IllegalStateException("attempt " + ctx.attempt());
            }
            return ctx.attempt();
        }

        @Job(value = "fails", maxAttempts = 2, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "10ms"))
        void fails() {
            runs.incrementAndGet();
            throw new IllegalArgumentException("always\0");
        }

        @Job(value = "picky", noRetryOn = IllegalArgumentException.class)
        void picky() {
            runs.incrementAndGet();
            throw new IllegalArgumentException("no point in trying again");
        }

        @Job(value = "slow", timeout = "200ms", maxAttempts = 1)
        void slow() throws InterruptedException {
            never.await();
        }

        @Job("long")
        void longRunning(JobContext ctx) throws InterruptedException {
            started.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                assertThat(ctx.isCancelled()).isTrue();
                interrupted.countDown();
                throw e;
            }
        }

        @Job("ordered")
        void ordered(Name args) {
            order.add(args.name());
        }

        @Job("bad_result")
        String badResult(Name args) {
            return args.name().equals("bad") ? "\0" : "fine";
        }

        @Job("numbers")
        int numbers(Numbers args) {
            return args.count() + args.tags().size();
        }

        @Job("gpu_only")
        void gpuOnly() {
            runs.incrementAndGet();
        }
    }

    final Handlers handlers = new Handlers();

    @Test
    void aJobRunsAndItsResultCanBeRead() throws Exception {
        Muster node = node(handlers);

        JobId id = node.jobs().enqueue(HELLO, new Name("Ada"));

        JobInfo job = ended(node, id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(node.jobs().result(HELLO, job)).isEqualTo(new Greeting("Hello, Ada"));
        assertThatThrownBy(() -> node.jobs().result(JobType.of("hello", Name.class, Integer.class), job))
                .hasMessageStartingWith(
                        "the result of job 'hello' (" + job.id() + ") cannot be read as java.lang.Integer: ");
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.node()).contains(node.nodeId());
    }

    @Test
    void aFailingJobIsRetriedUntilItSucceeds() throws Exception {
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("flaky", null));

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(3);
        assertThat(job.result()).contains("3");
    }

    @Test
    void aJobThatAlwaysFailsBecomesADeadLetterThatCanBeRetried() throws Exception {
        Muster node = node(handlers);

        JobId id = node.jobs().enqueue("fails", null);

        JobInfo job = ended(node, id);
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.attempt()).isEqualTo(2);
        assertThat(job.error()).hasValueSatisfying(e -> assertThat(e).contains("IllegalArgumentException: always"));
        assertThat(handlers.runs).hasValue(2);
        assertThat(node.jobs().retry(id)).isTrue();
        assertThat(ended(node, id).status()).isEqualTo(JobStatus.FAILED);
        await().untilAtomic(handlers.runs, org.hamcrest.Matchers.is(4));
        assertThat(node.jobs().retry(JobId.next())).isFalse();
    }

    @Test
    void someFailuresAreNotWorthARetry() throws Exception {
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("picky", null));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(handlers.runs).hasValue(1);
    }

    @Test
    void aJobThatTakesTooLongIsInterruptedAndFails() throws Exception {
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("slow", null));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error()).hasValueSatisfying(e -> assertThat(e).contains("timed out after 200 ms"));
    }

    @Test
    void aHandlerThatIgnoresItsTimeoutLosesItsJobButKeepsItsThread() throws Exception {
        UninterruptibleHandler stubborn = new UninterruptibleHandler();
        Muster node = node(Map.of("worker.concurrency", "2"), stubborn, handlers);

        JobInfo job = ended(node, node.jobs().enqueue("stubborn", null));

        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        await().untilAsserted(() -> assertThat(node.health().detail()).contains("1 of 2 threads are stuck"));
        assertThat(node.health().ok()).isFalse();

        // Half of its threads are stuck: it takes nothing more, and what it does not take costs nothing.
        JobId left = node.jobs().enqueue("hello", new Name("Ada"));
        nothingHappensFor(Duration.ofMillis(600), () -> {
            JobInfo waiting = node.jobs().find(left).orElseThrow();
            assertThat(waiting.status()).isEqualTo(JobStatus.PENDING);
            assertThat(waiting.attempt()).isZero();
        });

        stubborn.release.countDown();
        await().until(() -> node.health().ok());
        assertThat(ended(node, left).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(node.jobs().find(job.id()).orElseThrow().status()).isEqualTo(JobStatus.FAILED);
    }

    @Test
    void aCancelledHandlerThatIgnoresItLosesItsJobWithItsTimeout() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        class UninterruptibleHandler {
            @Job(value = "stubborn", timeout = "3s")
            void stubborn() {
                entered.countDown();
                while (release.getCount() > 0) {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        continue;
                    }
                }
            }
        }
        Muster node = node(new UninterruptibleHandler());
        JobId id = node.jobs().enqueue("stubborn", null);
        assertThat(entered.await(90, TimeUnit.SECONDS)).isTrue();

        node.jobs().cancel(id);

        assertThat(ended(node, id).status()).isEqualTo(JobStatus.CANCELLED);
        release.countDown();
    }

    @Test
    void aHugeResultFailsItsJobAlone() throws Exception {
        class Huge {
            @Job(value = "huge", maxAttempts = 1)
            String huge() {
                return "x".repeat(2 << 20);
            }
        }
        Muster node = node(new Huge(), handlers);
        JobId huge = node.jobs().enqueue("huge", null);
        JobId other = node.jobs().enqueue(HELLO, new Name("x"));

        assertThat(ended(node, huge).error())
                .hasValueSatisfying(e -> assertThat(e).contains("at most 1048576"));
        assertThat(ended(node, other).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void aRunningJobIsCancelledCooperatively() throws Exception {
        Muster node = node(handlers);
        JobId id = node.jobs().enqueue("long", null);
        assertThat(handlers.started.await(90, TimeUnit.SECONDS)).isTrue();
        await().until(() -> node.jobs().find(id).orElseThrow().status() == JobStatus.RUNNING);

        assertThat(node.jobs().cancel(id)).isEqualTo(Cancellation.REQUESTED);

        assertThat(handlers.interrupted.await(90, TimeUnit.SECONDS)).isTrue();
        assertThat(ended(node, id).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void aPendingJobIsCancelledAtOnce() {
        Muster node = node(handlers);
        JobId id = node.jobs().enqueue(JobRequest.of("long").delay(Duration.ofHours(1)));

        assertThat(node.jobs().cancel(id)).isEqualTo(Cancellation.CANCELLED);

        assertThat(node.jobs().find(id).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void prioritiesGoFirst() throws Exception {
        Muster client = builder(Map.of(), handlers).build();
        client.jobs()
                .enqueueAll(List.of(
                        JobRequest.of("ordered", new Name("background")).priority(Priority.BACKGROUND),
                        JobRequest.of("ordered", new Name("normal")),
                        JobRequest.of("ordered", new Name("critical")).priority(Priority.CRITICAL),
                        JobRequest.of("ordered", new Name("high")).priority(Priority.HIGH)));
        client.close();

        node(Map.of("worker.concurrency", "1"), handlers);

        await().until(() -> handlers.order.size() == 4);
        assertThat(handlers.order).containsExactly("critical", "high", "normal", "background");
    }

    @Test
    void aJobForAnotherCapabilityIsLeftAlone() {
        Muster general = node(Map.of("node.capabilities", "general"), handlers);
        JobId id = general.jobs().enqueue(JobRequest.of("gpu_only").capability("gpu"));
        JobId witness = general.jobs().enqueue(HELLO, new Name("x"));
        await().until(() -> general.jobs().find(witness).orElseThrow().status() == JobStatus.COMPLETED);
        assertThat(general.jobs().find(id).orElseThrow().status()).isEqualTo(JobStatus.PENDING);

        Muster gpu = node(Map.of("node.capabilities", "gpu"), handlers);

        await().until(() -> general.jobs().find(id).orElseThrow().status() == JobStatus.COMPLETED);
        assertThat(general.jobs().find(id).orElseThrow().node()).contains(gpu.nodeId());
    }

    @Test
    void aResultThatTheDatabaseRefusesFailsItsJobAlone() throws Exception {
        Muster node = node(handlers);

        List<JobId> ids = node.jobs()
                .enqueueAll(IntStream.range(0, 40)
                        .mapToObj(i -> JobRequest.of("bad_result", new Name(i == 20 ? "bad" : "good")))
                        .toList());

        for (int i = 0; i < ids.size(); i++) {
            assertThat(ended(node, ids.get(i)).status()).isEqualTo(i == 20 ? JobStatus.FAILED : JobStatus.COMPLETED);
        }
    }

    @Test
    void enqueueJoinsTheCallersTransaction() throws Exception {
        Muster node = node(handlers);
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            node.jobs().in(connection).enqueue(HELLO, new Name("nobody"));
            connection.rollback();
            JobId id = node.jobs().in(connection).enqueue(HELLO, new Name("somebody"));
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE business (x int)");
            }
            connection.commit();
            assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
        }
        assertThat(handlers.runs).hasValue(1);
        assertThat(node.jobs().list(JobQuery.all())).hasSize(1);
    }

    @Test
    void badRequestsAreRefusedAndLeaveNothing() {
        Muster node = node(handlers);

        assertThatThrownBy(() -> node.jobs().enqueue("nope", null))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("no node has a handler for job 'nope'")
                .hasMessageContaining("hello");
        assertThatThrownBy(() -> node.jobs().enqueue("helo", null))
                .hasMessageStartingWith(
                        "no node has a handler for job 'helo'; did you mean 'hello'? There are handlers for ")
                .hasMessageEndingWith("use a JobType, or \"declared\": true over HTTP");
        assertThatThrownBy(() -> node.jobs().enqueue("Not A Name", null)).hasMessageContaining("'Not A Name'");
        assertThatThrownBy(() -> node.jobs().enqueue("hello", new Numbers(1, List.of())))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("do not fit Name");
        assertThatThrownBy(() -> node.jobs().enqueue("numbers", new RawJson("{\"count\": \"many\", \"tags\": []}")))
                .hasMessageContaining("count");
        assertThatThrownBy(() -> node.jobs().enqueue("hello", null)).hasMessageContaining("needs args");
        assertThatThrownBy(() -> node.jobs().enqueue("fails", new Name("x"))).hasMessageContaining("takes no args");
        assertThatThrownBy(() -> node.jobs().enqueue("hello", new RawJson("{\"name\": ")))
                .hasMessageContaining("not valid JSON");
        assertThatThrownBy(() -> node.jobs().enqueue("hello", new Name("x".repeat(10 << 20))))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("at most 1048576");
        assertThatThrownBy(() -> node.jobs().enqueue("hello", new Name("nul \0")))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("U+0000");
        assertThatThrownBy(() -> JobRequest.of("hello").delay(Duration.ofSeconds(-1)))
                .hasMessageContaining("must not be negative");
        assertThatThrownBy(() -> node.jobs()
                        .enqueueAll(List.of(JobRequest.of("hello", new Name("good")), JobRequest.of("nope"))))
                .isInstanceOf(InvalidJob.class);

        assertThat(node.jobs().list(JobQuery.all())).isEmpty();
        assertThat(node.jobs().enqueueAll(List.of())).isEmpty();
    }

    @Test
    void interceptorsWrapEnqueueAndRun() throws Exception {
        ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        JobInterceptor tracing = new JobInterceptor() {
            @Override
            public JobRequest enqueue(JobRequest request) {
                return request.metadata("trace", "t-1");
            }

            @Override
            public Object run(JobContext context, Run run) throws Exception {
                seen.add("before " + context.metadata().get("trace"));
                Object result = run.proceed();
                seen.add("after");
                return result;
            }
        };
        Muster node = builder(Map.of(), handlers).interceptor(tracing).build();
        node.start();
        try (node) {
            assertThat(ended(node, node.jobs().enqueue(HELLO, new Name("x"))).status())
                    .isEqualTo(JobStatus.COMPLETED);
        }
        assertThat(seen).containsExactly("before t-1", "after");
    }
}
