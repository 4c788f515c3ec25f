package dev.muster.opentelemetry;

import dev.muster.telemetry.Tracing;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Spans of OpenTelemetry for what Muster does, named after its conventions for messaging: a job is a message, and the name of the job is its
 * destination.
 *
 * <pre>
 *   publish NAME   producer   an enqueue, or the start of a run; one span for all jobs of one call
 *   process NAME   consumer   one attempt at a job, or one activation of a run
 *   step NAME      internal   one attempt at a step of a run
 *   tick CRON      producer   a tick of a cron, which begins a trace
 * </pre>
 *
 * <p>The sampler of the program's SDK decides which spans are kept. Only for those a traceparent is written into new jobs, and only jobs that
 * have one have spans when they run. Thread-safe.
 */
public final class OpenTelemetryTracing implements Tracing {
    private final Tracer tracer;

    public OpenTelemetryTracing(OpenTelemetry openTelemetry) {
        String version = OpenTelemetryTracing.class.getPackage().getImplementationVersion();
        this.tracer = version == null
                ? openTelemetry.getTracer("dev.muster")
                : openTelemetry.getTracer("dev.muster", version);
    }

    @Override
    public Span publish(Publication publication) {
        Context parent = Context.current();
        if (publication.parent() != null
                && !io.opentelemetry.api.trace.Span.fromContext(parent)
                        .getSpanContext()
                        .isValid()) {
            parent = Traceparents.in(parent, publication.parent());
        }
        io.opentelemetry.api.trace.Span span = published(
                        publication.name().map(name -> "publish " + name).orElse("publish"),
                        "publish",
                        publication.name())
                .setParent(parent)
                .startSpan();
        if (span.isRecording()) {
            publication.queue().ifPresent(queue -> span.setAttribute(Attributes.QUEUE, queue));
            publication.id().ifPresent(id -> span.setAttribute(Attributes.MESSAGE_ID, id.toString()));
            if (publication.count() > 1) {
                span.setAttribute(Attributes.BATCH_COUNT, (long) publication.count());
            }
            if (publication.workflow()) {
                publication.name().ifPresent(name -> span.setAttribute(Attributes.WORKFLOW, name));
            }
        }
        return new BegunSpan(span, null, null);
    }

    private SpanBuilder published(String name, String operation, Optional<String> destination) {
        SpanBuilder builder = tracer.spanBuilder(name)
                .setSpanKind(SpanKind.PRODUCER)
                .setAttribute(Attributes.SYSTEM, Attributes.MUSTER)
                .setAttribute(Attributes.OPERATION_NAME, operation)
                .setAttribute(Attributes.OPERATION_TYPE, "send");
        destination.ifPresent(text -> builder.setAttribute(Attributes.DESTINATION, text));
        return builder;
    }

    @Override
    public Span process(Processing processing) {
        String name = processing.workflow().orElse(processing.claim().name());
        io.opentelemetry.api.trace.Span span = tracer.spanBuilder("process " + name)
                .setParent(Traceparents.in(Context.root(), processing.trace()))
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute(Attributes.SYSTEM, Attributes.MUSTER)
                .setAttribute(Attributes.OPERATION_NAME, "process")
                .setAttribute(Attributes.OPERATION_TYPE, "process")
                .setAttribute(Attributes.DESTINATION, name)
                .startSpan();
        if (span.isRecording()) {
            span.setAttribute(Attributes.QUEUE, processing.claim().queue());
            span.setAttribute(Attributes.MESSAGE_ID, processing.claim().id().toString());
            span.setAttribute(Attributes.CLIENT_ID, processing.node());
            span.setAttribute(Attributes.ATTEMPT, (long) processing.claim().attempt());
            processing.workflow().ifPresent(workflow -> span.setAttribute(Attributes.WORKFLOW, workflow));
        }
        return current(span);
    }

    @Override
    public Span step(Step step) {
        io.opentelemetry.api.trace.Span span = tracer.spanBuilder("step " + step.name())
                .setParent(parentOf(step.trace()))
                .startSpan();
        if (span.isRecording()) {
            span.setAttribute(Attributes.WORKFLOW, step.workflow());
            span.setAttribute(Attributes.RUN, step.run().toString());
            span.setAttribute(Attributes.STEP, step.name());
            span.setAttribute(Attributes.STEP_PATH, step.path());
            span.setAttribute(Attributes.ATTEMPT, (long) step.attempt());
        }
        return current(span);
    }

    /** The current context if it has this span: then the parent is of this process. Branches of a run have threads without it. */
    private static Context parentOf(String trace) {
        Context context = Context.current();
        SpanContext here = io.opentelemetry.api.trace.Span.fromContext(context).getSpanContext();
        return here.isValid() && trace.equals(Traceparents.of(here)) ? context : Traceparents.in(context, trace);
    }

    @Override
    public Span tick(Tick tick) {
        io.opentelemetry.api.trace.Span span = published("tick " + tick.cron(), "tick", Optional.of(tick.name()))
                .setNoParent()
                .startSpan();
        if (span.isRecording()) {
            span.setAttribute(Attributes.CRON, tick.cron());
            span.setAttribute(Attributes.MESSAGE_ID, tick.job().toString());
            span.setAttribute(Attributes.TICK, tick.at().toString());
        }
        return new BegunSpan(span, null, null);
    }

    private static Span current(io.opentelemetry.api.trace.Span span) {
        Context before = Context.current();
        return new BegunSpan(span, before, span.makeCurrent());
    }

    /**
     * A span.
     *
     * @param before the context of the thread before the span was made current; null if it was not
     * @param scope in which the span is current; null if it is not
     */
    private record BegunSpan(
            io.opentelemetry.api.trace.Span span,
            @Nullable Context before,
            @Nullable Scope scope) implements Span {

        @Override
        public @Nullable String trace() {
            SpanContext context = span.getSpanContext();
            return context.isValid() && context.isSampled() ? Traceparents.of(context) : null;
        }

        @Override
        public void end(@Nullable Throwable failure) {
            try {
                if (scope != null && before != null) {
                    leave(scope, before);
                }
                if (failure != null && span.isRecording()) {
                    span.recordException(failure);
                    span.setStatus(StatusCode.ERROR);
                    span.setAttribute(Attributes.ERROR_TYPE, failure.getClass().getName());
                }
            } finally {
                span.end();
            }
        }

        /** A scope that a handler has opened and not closed keeps the outer one from closing, and the next job would run in it. */
        private static void leave(Scope scope, Context before) {
            scope.close();
            if (Context.current() != before) {
                before.makeCurrent();
            }
        }
    }
}
