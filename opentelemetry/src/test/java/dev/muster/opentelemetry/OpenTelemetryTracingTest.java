package dev.muster.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.telemetry.Telemetry.Claim;
import dev.muster.telemetry.Tracing;
import dev.muster.telemetry.Tracing.Processing;
import dev.muster.telemetry.Tracing.Publication;
import dev.muster.telemetry.Tracing.Step;
import dev.muster.telemetry.Tracing.Tick;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The names, kinds, parents and attributes of spans. */
class OpenTelemetryTracingTest {
    private static final JobId ID = JobId.of("01900000-0000-7000-8000-000000000000");
    private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN_ID = "b7ad6b7169203331";
    private static final String TRACE = "00-" + TRACE_ID + "-" + SPAN_ID + "-01";
    private static final Publication ORDER = publication(null);

    private final Exported exported = new Exported(Sampler.parentBased(Sampler.alwaysOn()));
    private final Tracing tracing = exported.tracing();

    @AfterEach
    void close() {
        exported.close();
        assertThat(Span.fromContextOrNull(Context.current()))
                .as("no span is left behind")
                .isNull();
    }

    private static Publication publication(@Nullable String parent) {
        return new Publication(Optional.of("order"), false, Optional.of("web"), Optional.of(ID), 1, parent);
    }

    private static Processing processing(String name, Optional<String> workflow, String trace) {
        return new Processing(new Claim(ID, 7, name, new Lane("web", ""), 2), workflow, "node-1", trace);
    }

    private static void within(Span span, Runnable action) {
        Context.current().with(span).wrap(action).run();
    }

    private SpanData only() {
        assertThat(exported.spans()).hasSize(1);
        return exported.spans().get(0);
    }

    private static Map<String, String> attributes(SpanData span) {
        return span.getAttributes().asMap().entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> entry.getKey().getKey(),
                        entry -> entry.getValue().toString()));
    }

    @Test
    void anEnqueueIsAProducer() {
        Tracing.Span span = tracing.publish(ORDER);
        String trace = span.trace();
        span.end(null);

        SpanData data = only();
        assertThat(data.getName()).isEqualTo("publish order");
        assertThat(data.getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(trace)
                .isEqualTo("00-" + data.getTraceId() + "-" + data.getSpanId() + "-"
                        + data.getSpanContext().getTraceFlags().asHex());
        assertThat(data.getParentSpanContext().isValid()).isFalse();
        assertThat(attributes(data))
                .isEqualTo(Map.of(
                        "messaging.system", "muster",
                        "messaging.operation.name", "publish",
                        "messaging.operation.type", "send",
                        "messaging.destination.name", "order",
                        "messaging.message.id", ID.toString(),
                        "muster.queue", "web"));
    }

    @Test
    void manyJobsAreOneSpanWithTheirCount() {
        tracing.publish(new Publication(Optional.empty(), false, Optional.empty(), Optional.empty(), 7, null))
                .end(null);

        assertThat(only().getName()).isEqualTo("publish");
        assertThat(only().getAttributes().get(AttributeKey.longKey("messaging.batch.message_count")))
                .isEqualTo(7);
        assertThat(attributes(only())).doesNotContainKeys("messaging.destination.name", "messaging.message.id");
    }

    @Test
    void theCurrentSpanIsTheParentOfAnEnqueueBeforeTheOneThatIsGiven() {
        Span request = exported.sdk.getTracer("test").spanBuilder("request").startSpan();
        within(request, () -> tracing.publish(publication(TRACE)).end(null));
        assertThat(only().getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());

        tracing.publish(publication(TRACE)).end(null);

        assertThat(exported.spans().get(1).getParentSpanId()).isEqualTo(SPAN_ID);
        assertThat(exported.spans().get(1).getTraceId()).isEqualTo(TRACE_ID);
    }

    @Test
    void anAttemptIsAConsumerAndCurrentWhileItRuns() {
        Tracing.Span span = tracing.process(processing("order", Optional.empty(), TRACE));
        assertThat(Span.current().getSpanContext().getTraceId()).isEqualTo(TRACE_ID);
        span.end(new IllegalStateException("no"));

        SpanData data = only();
        assertThat(data.getName()).isEqualTo("process order");
        assertThat(data.getKind()).isEqualTo(SpanKind.CONSUMER);
        assertThat(data.getParentSpanId()).isEqualTo(SPAN_ID);
        assertThat(data.getParentSpanContext().isRemote()).isTrue();
        assertThat(data.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(data.getEvents()).hasSize(1);
        assertThat(attributes(data))
                .isEqualTo(Map.of(
                        "messaging.system", "muster",
                        "messaging.operation.name", "process",
                        "messaging.operation.type", "process",
                        "messaging.destination.name", "order",
                        "messaging.message.id", ID.toString(),
                        "messaging.client.id", "node-1",
                        "muster.queue", "web",
                        "muster.attempt", "2",
                        "error.type", "java.lang.IllegalStateException"));
    }

    @Test
    void aStepIsAChildOfItsActivation() throws InterruptedException {
        Tracing.Span activation =
                tracing.process(processing("workflow:checkout:v1:01234567", Optional.of("checkout"), TRACE));
        Step step = new Step("checkout", ID, "charge", "1", 1, String.valueOf(activation.trace()));
        tracing.step(step).end(null);
        Thread branch = new Thread(() -> tracing.step(step).end(null));
        branch.start();
        branch.join();
        activation.end(null);

        SpanData process = exported.named("process checkout").get(0);
        assertThat(exported.named("step charge")).hasSize(2).allSatisfy(span -> {
            assertThat(span.getParentSpanId()).isEqualTo(process.getSpanId());
            assertThat(span.getTraceId()).isEqualTo(TRACE_ID);
            assertThat(span.getKind()).isEqualTo(SpanKind.INTERNAL);
            assertThat(attributes(span))
                    .isEqualTo(Map.of(
                            "muster.workflow", "checkout",
                            "muster.run", ID.toString(),
                            "muster.step", "charge",
                            "muster.step.path", "1",
                            "muster.attempt", "1"));
        });
        assertThat(exported.named("step charge").get(0).getParentSpanContext().isRemote())
                .as("on the thread of the activation the parent is of this process")
                .isFalse();
    }

    @Test
    void aTickBeginsATrace() {
        Span leader = exported.sdk.getTracer("test").spanBuilder("other").startSpan();
        AtomicReference<String> trace = new AtomicReference<>();
        within(leader, () -> {
            Tracing.Span tick = tracing.tick(new Tick("nightly", "report", ID, Instant.EPOCH));
            trace.set(tick.trace());
            tick.end(null);
        });

        assertThat(only().getName()).isEqualTo("tick nightly");
        assertThat(only().getKind()).isEqualTo(SpanKind.PRODUCER);
        assertThat(only().getParentSpanContext().isValid()).isFalse();
        assertThat(trace.get()).contains(only().getSpanId());
        assertThat(attributes(only()))
                .containsEntry("messaging.destination.name", "report")
                .containsEntry("muster.cron", "nightly")
                .containsEntry("muster.tick", "1970-01-01T00:00:00Z");
    }

    @Test
    void whatIsSampledOutHasNoTraceparent() {
        Span notSampled = Span.wrap(Traceparents.read(TRACE.substring(0, TRACE.length() - 1) + "0"));
        within(notSampled, () -> {
            Tracing.Span span = tracing.publish(ORDER);
            assertThat(span.trace()).isNull();
            span.end(null);
        });
        Tracing.Span attempt =
                tracing.process(processing("order", Optional.empty(), TRACE.replace("331-01", "331-00")));
        assertThat(attempt.trace()).isNull();
        attempt.end(null);

        assertThat(exported.spans()).isEmpty();
    }

    @Test
    void withoutAnSdkThereIsNoTraceparent() {
        Tracing none = new OpenTelemetryTracing(OpenTelemetry.noop());
        Tracing.Span span = none.publish(ORDER);

        assertThat(span.trace()).isNull();
        span.end(null);
    }

    /** A scope that is not closed keeps the ones around it from closing. */
    @Test
    void aScopeThatAHandlerLeavesOpenDoesNotReachTheNextJobOfItsThread() {
        Tracing.Span attempt = tracing.process(processing("order", Optional.empty(), TRACE));
        Tracing.Span step = tracing.step(new Step("checkout", ID, "charge", "1", 1, TRACE));
        exported.sdk.getTracer("handler").spanBuilder("forgotten").startSpan().makeCurrent();
        step.end(null);
        attempt.end(null);

        assertThat(Span.fromContextOrNull(Context.current())).isNull();
        tracing.publish(ORDER).end(null);
        assertThat(exported.named("publish order").get(0).getTraceId()).isNotEqualTo(TRACE_ID);
    }
}
