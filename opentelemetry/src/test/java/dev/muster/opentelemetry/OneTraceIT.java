package dev.muster.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import dev.muster.workflow.Workflows.RunQuery;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A request, the job that it enqueues, the attempts at it, and the workflow that it starts, which another node ends, are one trace. */
class OneTraceIT {
    private static final WorkflowType<Void, Void> CHECKOUT = WorkflowType.of("checkout", Void.class, Void.class);
    private static final AttributeKey<String> NODE = AttributeKey.stringKey("messaging.client.id");
    private static final Duration SOON = Duration.ofSeconds(90);

    private final TestDatabase database = TestDatabase.fromEnv();
    private final Cluster cluster = Cluster.on(database, Map.of("worker.lease", "60s", "worker.renew", "1s"));

    @BeforeEach
    void open() {
        cluster.client();
    }

    @AfterEach
    void close() {
        cluster.close();
        database.close();
    }

    /** The order fails twice; the first node that ships does not come to an end. */
    static final class Shop {
        private final Supplier<Muster> muster;
        private final AtomicInteger ships = new AtomicInteger();
        final CountDownLatch shipping = new CountDownLatch(1);

        Shop(Supplier<Muster> muster) {
            this.muster = muster;
        }

        @Job(value = "order", maxAttempts = 3, backoff = @Backoff(delay = "10ms"))
        void order(JobContext ctx) {
            if (ctx.attempt() < 3) {
                throw new IllegalStateException("attempt " + ctx.attempt());
            }
            muster.get().workflows().start(CHECKOUT, null);
        }

        @Workflow(name = "checkout", version = "v1")
        void checkout(WorkflowContext wf) {
            wf.step("reserve", () -> {});
            wf.step("ship", () -> {
                if (ships.getAndIncrement() == 0) {
                    shipping.countDown();
                    new CountDownLatch(1).await();
                }
            });
        }
    }

    private JobId requestOrder(Exported exported) {
        Span request = exported.sdk
                .getTracer("shop")
                .spanBuilder("POST /orders")
                .setSpanKind(SpanKind.SERVER)
                .startSpan();
        JobId id = Context.current()
                .with(request)
                .wrapSupplier(() -> cluster.jobs().enqueue("order", null))
                .get();
        request.end();
        return id;
    }

    private static SpanData one(Exported exported, String name) {
        assertThat(exported.named(name)).as(name).hasSize(1);
        return exported.named(name).get(0);
    }

    @Test
    void aRequestAndAllThatFollowsFromItAreOneTrace() throws InterruptedException {
        try (Exported exported = new Exported(Sampler.parentBased(Sampler.alwaysOn()))) {
            Shop shop = new Shop(cluster::client);
            cluster.register(shop).tracing(exported.tracing());
            Node first = cluster.node();
            JobId order = requestOrder(exported);
            assertThat(cluster.awaitEnded(order, SOON).status()).isEqualTo(JobStatus.COMPLETED);
            shop.shipping.await();
            cluster.node();
            first.crash();
            cluster.clock().advance(Duration.ofSeconds(61));

            JobId run = cluster.client().workflows().list(RunQuery.all()).get(0).id();
            assertThat(cluster.client().workflows().await(run, SOON).status()).isEqualTo(RunStatus.COMPLETED);
            await().atMost(SOON)
                    .until(() -> exported.named("process checkout").stream()
                            .anyMatch(
                                    span -> "node-2".equals(span.getAttributes().get(NODE))));

            SpanData request = one(exported, "POST /orders");
            assertThat(exported.spans()).extracting(SpanData::getTraceId).containsOnly(request.getTraceId());
            SpanData enqueue = one(exported, "publish order");
            assertThat(enqueue.getParentSpanId()).isEqualTo(request.getSpanId());
            List<SpanData> attempts = exported.named("process order");
            assertThat(attempts)
                    .hasSize(3)
                    .allSatisfy(attempt -> assertThat(attempt.getParentSpanId()).isEqualTo(enqueue.getSpanId()));
            assertThat(attempts)
                    .extracting(attempt -> attempt.getStatus().getStatusCode())
                    .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET);
            SpanData start = one(exported, "publish checkout");
            assertThat(start.getParentSpanId()).isEqualTo(attempts.get(2).getSpanId());
            List<SpanData> activations = exported.named("process checkout");
            assertThat(activations)
                    .allSatisfy(activation ->
                            assertThat(activation.getParentSpanId()).isEqualTo(start.getSpanId()));
            SpanData last = activations.stream()
                    .filter(activation ->
                            "node-2".equals(activation.getAttributes().get(NODE)))
                    .findFirst()
                    .orElseThrow();
            assertThat(exported.named("step reserve"))
                    .as("the other node replays it, which is no span")
                    .hasSize(1)
                    .noneMatch(step -> step.getParentSpanId().equals(last.getSpanId()));
            assertThat(exported.named("step ship"))
                    .filteredOn(step -> step.getParentSpanId().equals(last.getSpanId()))
                    .hasSize(1)
                    .allMatch(step -> step.getStatus().getStatusCode() == StatusCode.UNSET);
        }
    }

    @Test
    void aTraceThatIsSampledOutLeavesNothingInTheDatabase() {
        try (Exported exported = new Exported(Sampler.alwaysOff())) {
            cluster.register(new Shop(cluster::client)).tracing(exported.tracing());
            cluster.node();

            assertThat(cluster.awaitEnded(requestOrder(exported), SOON).status())
                    .isEqualTo(JobStatus.COMPLETED);

            assertThat(exported.spans()).isEmpty();
            assertThat(database.number("SELECT count(trace) FROM muster_job_history"))
                    .isZero();
            assertThat(database.number("SELECT count(trace) FROM muster_workflow_runs"))
                    .isZero();
        }
    }
}
