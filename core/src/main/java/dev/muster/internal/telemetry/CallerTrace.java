package dev.muster.internal.telemetry;

import dev.muster.internal.runtime.Traceparent;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The trace of whoever called this process, while the current thread does what it was called for: the header {@code traceparent} of a request
 * to a gateway. It is the parent of what the thread writes, if the tracer has no span of its own for the thread; without a tracer, what it
 * writes carries the trace as it is.
 */
public final class CallerTrace {
    private static final ThreadLocal<String> CURRENT = new ThreadLocal<>();

    /** In place of a trace while jobs are written whose spans have begun already. */
    static final String SPANS_HAVE_BEGUN = "";

    /** Until then nobody looks: a lookup leaves an entry in the thread. */
    private static volatile boolean used;

    private CallerTrace() {}

    /**
     * Does the work within the trace of its caller.
     *
     * @param header what the caller sent as {@code traceparent}; whatever is not well-formed is left out, as if it had not been sent
     */
    public static <T> T during(@Nullable String header, Supplier<T> work) {
        String trace = header == null ? null : Traceparent.ofHeader(header).orElse(null);
        return trace == null ? work.get() : with(trace, work);
    }

    /** Does the work without beginning a span for what it writes. */
    static <T> T withoutSpans(Supplier<T> work) {
        return with(SPANS_HAVE_BEGUN, work);
    }

    private static <T> T with(String trace, Supplier<T> work) {
        used = true;
        String before = CURRENT.get();
        CURRENT.set(trace);
        try {
            return work.get();
        } finally {
            if (before == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(before);
            }
        }
    }

    /** The traceparent of the current thread's caller, also one that was not sampled; null if there is none. */
    public static @Nullable String current() {
        String trace = found();
        return SPANS_HAVE_BEGUN.equals(trace) ? null : trace;
    }

    static boolean spansHaveBegun() {
        return SPANS_HAVE_BEGUN.equals(found());
    }

    private static @Nullable String found() {
        return used ? CURRENT.get() : null;
    }
}
