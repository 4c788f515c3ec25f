package dev.muster.opentelemetry;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;

/** Contexts of spans as W3C traceparents, without the state of vendors. */
final class Traceparents {
    private static final int TRACE = 3;
    private static final int SPAN = 36;
    private static final int FLAGS = 53;

    private Traceparents() {}

    static String of(SpanContext context) {
        return "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                + context.getTraceFlags().asHex();
    }

    /** @param trace a traceparent that Muster has stored, and so has checked */
    static SpanContext read(String trace) {
        return SpanContext.createFromRemoteParent(
                trace.substring(TRACE, SPAN - 1),
                trace.substring(SPAN, FLAGS - 1),
                TraceFlags.fromHex(trace, FLAGS),
                TraceState.getDefault());
    }

    /** The context with the span that a traceparent names, which is of another process. */
    static Context in(Context context, String trace) {
        return context.with(Span.wrap(read(trace)));
    }
}
