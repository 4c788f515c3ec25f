package dev.muster.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.muster.Muster;
import dev.muster.batch.BatchRequest;
import dev.muster.engine.EngineIT;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.TaskRequest;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Snooze;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.telemetry.RecordedSpans.Recorded;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A trace goes with a job through its attempts, the runs and jobs that it starts, and other nodes. */
class TracingIT extends EngineIT {
    private static final WorkflowType<Void, Void> CHECKOUT = WorkflowType.of("checkout", Void.class, Void.class);
    private static final WorkflowType<Void, Void> DELIVERY = WorkflowType.of("delivery", Void.class, Void.class);
    private static final Duration SOON = Duration.ofSeconds(90);

    static final class Orders {
        final Queue<Optional<String>> traces = new ConcurrentLinkedQueue<>();
        final AtomicReference<Muster> muster = new AtomicReference<>();

        @Job(value = "order", maxAttempts = 3, backoff = @Backoff(delay = "10ms"))
        void order(JobContext ctx) {
            traces.add(ctx.trace());
            if (ctx.attempt() < 3) {
                throw new IllegalStateException("attempt " + ctx.attempt());
            }
            ctx.jobs().enqueue("receipt", null);
        }

        @Job("nothing")
        void nothing() {}

        @Job("receipt")
        void receipt(JobContext ctx) {
            traces.add(ctx.trace());
        }

        @Workflow(name = "checkout", version = "v1")
        void checkout(WorkflowContext wf) {
            wf.step("reserve", () -> {});
            wf.awaitEvent("paid", String.class);
            wf.step("receipt", () -> muster.get().jobs().enqueue("receipt", null));
            // The last branch runs on the thread of the run.
            wf.parallel(
                    List.<Function<WorkflowContext, Void>>of(branch -> branch.child(DELIVERY, null), branch -> null));
        }

        @Workflow(name = "delivery", version = "v1")
        void delivery(WorkflowContext wf) {
            wf.step("deliver", () -> {});
        }
    }

    static final class Reports {
        final AtomicInteger runs = new AtomicInteger();

        @Cron(value = "@every 1s", name = "report")
        void report(CronContext ctx) {
            runs.incrementAndGet();
        }
    }

    private final Orders orders = new Orders();

    private Muster node(RecordedSpans spans, Object... handlers) {
        return start(builder(Map.of(), handlers).tracing(spans));
    }

    private static Recorded one(RecordedSpans spans, String name) {
        await().atMost(SOON).until(() -> !spans.of(name).isEmpty());
        assertThat(spans.of(name)).as(name).hasSize(1);
        return spans.of(name).get(0);
    }

    @Test
    void theAttemptsOfAJobAreChildrenOfItsEnqueue() throws InterruptedException {
        RecordedSpans spans = new RecordedSpans(true);
        Muster node = node(spans, orders);
        AtomicReference<JobId> id = new AtomicReference<>();

        spans.request(() -> id.set(node.jobs().enqueue("order", null)));

        assertThat(ended(node, id.get()).status()).isEqualTo(JobStatus.COMPLETED);
        Recorded request = one(spans, "request");
        Recorded enqueue = one(spans, "publish order");
        await().atMost(SOON).until(() -> spans.of("process order").size() == 3);
        List<Recorded> attempts = spans.of("process order");
        assertThat(enqueue.parent()).isEqualTo(request.id());
        assertThat(attempts).allSatisfy(attempt -> assertThat(attempt.parent()).isEqualTo(enqueue.id()));
        assertThat(attempts)
                .extracting(attempt -> attempt.failure().isPresent())
                .containsExactly(true, true, false);
        assertThat(one(spans, "publish receipt").parent())
                .isEqualTo(attempts.get(2).id());
        one(spans, "process receipt");
        assertThat(spans.ended).extracting(Recorded::trace).containsOnly(request.trace());
        assertThat(orders.traces)
                .as("each attempt sees its own span")
                .doesNotHaveDuplicates()
                .allSatisfy(trace -> assertThat(trace.orElseThrow()).contains(request.trace()));
        assertThat(node.jobs().find(id.get()).orElseThrow().trace().orElseThrow())
                .contains(enqueue.id());
    }

    @Test
    void aRunIsOneTraceAndReplayedStepsHaveNoSpan() {
        RecordedSpans spans = new RecordedSpans(true);
        Muster first = node(spans, orders);
        orders.muster.set(first);
        AtomicReference<JobId> id = new AtomicReference<>();
        spans.request(() -> id.set(first.workflows().start(CHECKOUT, null)));
        await().atMost(SOON)
                .until(() -> first.workflows().find(id.get()).orElseThrow().status() == RunStatus.WAITING);
        Orders others = new Orders();
        Muster second = node(spans, others);
        others.muster.set(second);
        first.close();

        second.workflows().signal(id.get(), "paid", "yes");

        assertThat(second.workflows().await(id.get(), SOON).status()).isEqualTo(RunStatus.COMPLETED);
        one(spans, "process receipt");
        one(spans, "process delivery");
        assertThat(spans.ended)
                .extracting(Recorded::trace)
                .containsOnly(one(spans, "request").trace());
        String parentOfChild = one(spans, "publish delivery").parent();
        await().until(() -> spans.of("process checkout").stream()
                .anyMatch(activation -> activation.id().equals(parentOfChild)));
        List<Recorded> activations = spans.of("process checkout");
        Recorded start = one(spans, "publish checkout");
        assertThat(activations)
                .hasSizeGreaterThan(1)
                .allSatisfy(one -> assertThat(one.parent()).isEqualTo(start.id()));
        assertThat(activations).extracting(Recorded::node).contains("node-1", "node-2");
        assertThat(activations)
                .extracting(Recorded::id)
                .contains(one(spans, "step reserve").parent());
        Recorded receipt = one(spans, "step receipt");
        assertThat(one(spans, "publish receipt").parent()).isEqualTo(receipt.id());
        assertThat(activations)
                .as("a branch runs on another thread")
                .extracting(Recorded::id)
                .contains(parentOfChild);
        assertThat(one(spans, "step deliver").parent())
                .isEqualTo(one(spans, "process delivery").id());
    }

    @Test
    void everyTickOfACronBeginsATrace() {
        RecordedSpans spans = new RecordedSpans(true);
        Muster node = node(spans, new Reports());

        await().atMost(SOON)
                .until(() -> spans.of("tick report").size() >= 2
                        && spans.ended.stream()
                                        .filter(span -> span.name().startsWith("process"))
                                        .count()
                                >= 2);
        node.close();

        List<Recorded> ticks = spans.of("tick report");
        assertThat(ticks).extracting(Recorded::trace).doesNotHaveDuplicates();
        assertThat(ticks).extracting(Recorded::parent).containsOnlyNulls();
        assertThat(spans.ended)
                .filteredOn(span -> span.name().startsWith("process"))
                .allSatisfy(job -> assertThat(ticks).extracting(Recorded::id).contains(job.parent()));
        assertThat(spans.ended).noneMatch(span -> span.name().startsWith("publish"));
    }

    @Test
    void theTasksOfAGraphAreOneTrace() {
        RecordedSpans spans = new RecordedSpans(true);
        Muster node = node(spans, orders);
        GraphRequest graph = GraphRequest.of(
                TaskRequest.of("first", "receipt"),
                TaskRequest.of("second", "receipt").dependsOn("first"));
        AtomicReference<GraphId> id = new AtomicReference<>();

        spans.request(() -> id.set(node.graphs().submit(graph)));

        assertThat(node.graphs().await(id.get(), SOON).status()).isEqualTo(GraphStatus.COMPLETED);
        await().atMost(SOON).until(() -> spans.of("process receipt").size() == 2);
        Recorded submission = one(spans, "publish receipt");
        assertThat(submission.parent()).isEqualTo(one(spans, "request").id());
        assertThat(spans.of("process receipt"))
                .allSatisfy(task -> assertThat(task.parent()).isEqualTo(submission.id()));
    }

    @Test
    void theJobThatABatchEnqueuesIsInItsTrace() {
        RecordedSpans spans = new RecordedSpans(true);
        Muster node = node(spans, orders);
        BatchRequest batch = BatchRequest.of("orders").onComplete(JobRequest.of("receipt"));

        spans.request(() -> node.batches().fanOut(batch, List.of(JobRequest.of("nothing"), JobRequest.of("nothing"))));

        Recorded completion = one(spans, "process receipt");
        Recorded request = one(spans, "request");
        assertThat(completion.trace()).isEqualTo(request.trace());
        assertThat(completion.parent()).isEqualTo(one(spans, "publish receipt").id());
        await().until(() -> spans.of("process nothing").size() == 2);
        assertThat(spans.of("process nothing"))
                .allSatisfy(job -> assertThat(job.trace()).isEqualTo(request.trace()));
        assertThat(database.number("SELECT count(*) FROM muster_batch_jobs")).isZero();
    }

    /** Otherwise the sampler would be asked twice, and traces would begin with the second span. */
    @Test
    void aTickThatIsSampledOutHasNoOtherSpan() {
        RecordedSpans spans = new RecordedSpans(false);
        Reports reports = new Reports();
        node(spans, reports);

        await().atMost(SOON).until(() -> reports.runs.get() >= 2);

        assertThat(spans.of("tick report")).isNotEmpty();
        assertThat(spans.ended).allMatch(span -> span.name().startsWith("tick"));
    }

    /** Handlers that end in every way, and one that looks at what they have left on its thread. */
    static final class Endings {
        final Queue<Optional<String>> leftBehind = new ConcurrentLinkedQueue<>();
        final RecordedSpans spans = new RecordedSpans(true);

        @Job(value = "fails", maxAttempts = 1)
        void fails() {
            throw new StackOverflowError("of a handler");
        }

        @Job(value = "hangs", maxAttempts = 1, timeout = "200ms")
        void hangs() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Job("snoozes")
        void snoozes() {
            throw new Snooze(Duration.ofHours(1));
        }

        @Job("looks")
        void looks() {
            leftBehind.add(Optional.ofNullable(spans.current()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"threads", "virtual"})
    void noSpanStaysOnAThreadAfterItsJob(String kind) throws InterruptedException {
        assumeTrue(kind.equals("threads") || Runtime.version().feature() >= 21, "virtual threads need Java 21");
        Endings endings = new Endings();
        Muster node = start(builder(
                        Map.of("executors.one.kind", kind, "executors.one.size", "1", "routing.rules", "*=one"),
                        endings)
                .tracing(endings.spans));
        Muster untraced = builder(Map.of()).build();
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        for (String name : List.of("fails", "hangs", "snoozes")) {
            JobId traced = node.jobs().enqueue(JobRequest.of(name).trace(trace));
            if (!name.equals("snoozes")) {
                assertThat(ended(node, traced).status()).isEqualTo(JobStatus.FAILED);
            }
            await().atMost(SOON)
                    .until(() -> !endings.spans.of("process " + name).isEmpty());
            // As a program without a tracer enqueues it: it has no trace.
            int looked = endings.leftBehind.size();
            untraced.jobs().enqueue("looks", null);
            await().atMost(SOON).until(() -> endings.leftBehind.size() > looked);
        }

        assertThat(endings.leftBehind).hasSize(3).containsOnly(Optional.empty());
        untraced.close();
    }

    @Test
    void whatIsSampledOutIsNotWritten() throws InterruptedException {
        RecordedSpans spans = new RecordedSpans(false);
        Muster node = node(spans, orders);

        JobId id = node.jobs().enqueue("order", null);
        node.jobs()
                .enqueueAll(List.of(
                        JobRequest.of("receipt"), JobRequest.of("receipt").key("k")));

        assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
        await().atMost(SOON).until(() -> orders.traces.size() == 6);
        assertThat(orders.traces).containsOnly(Optional.empty());
        assertThat(database.number("SELECT count(trace) FROM muster_jobs")).isZero();
        assertThat(database.number("SELECT count(trace) FROM muster_job_history"))
                .isZero();
        assertThat(spans.ended).noneMatch(span -> span.name().startsWith("process"));
    }

    @Test
    void aNodeWithoutATracerPassesTheTraceOn() throws InterruptedException {
        Muster node = node(orders);
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

        JobId id = node.jobs().enqueue(JobRequest.of("receipt").trace(trace));

        assertThat(ended(node, id).trace()).contains(trace);
        assertThat(orders.traces).containsExactly(Optional.of(trace));
    }

    @Test
    void aTracerThatFailsDisturbsNoJob() throws InterruptedException {
        Muster node = start(builder(Map.of(), orders).tracing(new Tracing() {
            @Override
            public Span publish(Publication publication) {
                throw new IllegalStateException("of a tracer");
            }

            @Override
            public Span process(Processing processing) {
                throw new IllegalStateException("of a tracer");
            }

            @Override
            public Span step(Step step) {
                throw new IllegalStateException("of a tracer");
            }

            @Override
            public Span tick(Tick tick) {
                throw new IllegalStateException("of a tracer");
            }
        }));

        assertThat(ended(node, node.jobs().enqueue("order", null)).status()).isEqualTo(JobStatus.COMPLETED);
        JobId traced = node.jobs()
                .enqueue(JobRequest.of("receipt").trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
        assertThat(ended(node, traced).status()).isEqualTo(JobStatus.COMPLETED);
    }
}
