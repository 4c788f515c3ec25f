package dev.muster.telemetry;

import dev.muster.internal.runtime.Traceparent;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A small tracer. Several nodes of one test share it. */
final class RecordedSpans implements Tracing {
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final int TRACE_END = 35;
    private static final int SPAN_BEGIN = 36;
    private static final int SPAN_END = 52;

    final Queue<Recorded> ended = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<String> current = new ThreadLocal<>();
    private final boolean sampled;

    /** @param parent null if the span begins its trace */
    record Recorded(
            String name,
            String trace,
            String id,
            @Nullable String parent,
            @Nullable String node,
            Optional<Throwable> failure) {}

    /** @param sampled whether anything is written */
    RecordedSpans(boolean sampled) {
        this.sampled = sampled;
    }

    /** Runs an action within a span, as a web framework does. */
    void request(Runnable action) {
        Span span = begin("request", null, null, true);
        try {
            action.run();
        } finally {
            span.end(null);
        }
    }

    /** The traceparent of the current span of this thread; null if there is none. */
    @Nullable
    String current() {
        return current.get();
    }

    List<Recorded> of(String name) {
        return ended.stream().filter(span -> span.name().equals(name)).toList();
    }

    private Span begin(String name, @Nullable String parent, @Nullable String node, boolean makeCurrent) {
        String id = String.format("%016x", NUMBERS.incrementAndGet());
        String trace =
                parent == null ? String.format("%032x", NUMBERS.incrementAndGet()) : parent.substring(3, TRACE_END);
        String text = "00-" + trace + "-" + id + "-01";
        if (!Traceparent.isValid(text)) {
            throw new AssertionError(text);
        }
        String before = current.get();
        if (makeCurrent) {
            current.set(text);
        }
        return new Span() {
            @Override
            public @Nullable String trace() {
                return sampled ? text : null;
            }

            @Override
            public void end(@Nullable Throwable failure) {
                if (makeCurrent) {
                    current.set(before);
                }
                ended.add(new Recorded(
                        name,
                        trace,
                        id,
                        parent == null ? null : parent.substring(SPAN_BEGIN, SPAN_END),
                        node,
                        Optional.ofNullable(failure)));
            }
        };
    }

    @Override
    public Span publish(Publication publication) {
        String parent = current.get() == null ? publication.parent() : current.get();
        return begin("publish " + publication.name().orElse("several"), parent, null, false);
    }

    @Override
    public Span process(Processing processing) {
        String name = processing.workflow().orElse(processing.claim().name());
        return begin("process " + name, processing.trace(), processing.node(), true);
    }

    @Override
    public Span step(Step step) {
        return begin("step " + step.name(), step.trace(), null, true);
    }

    @Override
    public Span tick(Tick tick) {
        return begin("tick " + tick.cron(), null, null, false);
    }
}
