package dev.muster.internal.telemetry;

import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJobTraces;
import dev.muster.internal.runtime.Traceparent;
import dev.muster.job.JobId;
import dev.muster.runtime.Clock;
import dev.muster.telemetry.Tracing;
import dev.muster.telemetry.Tracing.Processing;
import dev.muster.telemetry.Tracing.Publication;
import dev.muster.telemetry.Tracing.Span;
import dev.muster.telemetry.Tracing.Step;
import dev.muster.telemetry.Tracing.Tick;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the engine calls: begins spans of the registered {@link Tracing}, if there is one, and keeps its failures from the engine. */
public final class Traces implements NewJobTraces {
    private final @Nullable Tracing tracing;
    private final ListenerFailures failures;

    Traces(@Nullable Tracing tracing, ListenerFailures failures) {
        this.tracing = tracing;
        this.failures = failures;
    }

    /** Begins spans of this tracing. */
    public static Traces of(Tracing tracing, Clock clock) {
        return new Traces(tracing, new ListenerFailures(clock));
    }

    /** Whether there is a tracer; if not, no span is begun. */
    public boolean isEnabled() {
        return tracing != null;
    }

    /** Jobs that carry a trace already are left out; if all do, there is no span. */
    @Override
    public @Nullable Writing publish(List<NewJob> jobs) {
        if (tracing == null) {
            String trace = ofCaller();
            return trace == null ? null : asWriting(new Passed(trace));
        }
        if (CallerTrace.spansHaveBegun()) {
            return null;
        }
        NewJob first = null;
        int count = 0;
        boolean sameName = true;
        boolean sameQueue = true;
        for (NewJob job : jobs) {
            if (job.trace() == null) {
                first = first == null ? job : first;
                count++;
                sameName &= job.name().equals(first.name());
                sameQueue &= job.lane().queue().equals(first.lane().queue());
            }
        }
        if (first == null) {
            return null;
        }
        return asWriting(publish(new Publication(
                sameName ? Optional.of(first.name()) : Optional.empty(),
                false,
                sameQueue ? Optional.of(first.lane().queue()) : Optional.empty(),
                count == 1 ? Optional.of(first.id()) : Optional.empty(),
                count,
                null)));
    }

    private static Writing asWriting(Span span) {
        return new Writing() {
            @Override
            public @Nullable String trace() {
                return span.trace();
            }

            @Override
            public void end(@Nullable Throwable failure) {
                span.end(failure);
            }
        };
    }

    /** Begins the span of jobs or runs that are about to be written. If nothing is named as its parent, that is the caller's span. */
    public Span publish(Publication publication) {
        Tracing tracer = tracing;
        if (tracer == null) {
            return Span.NONE;
        }
        String caller = publication.parent() == null ? CallerTrace.current() : null;
        Publication called = caller == null ? publication : publication.withParent(caller);
        return begin(tracer, () -> tracer.publish(called));
    }

    /**
     * Writes something within the span of its publication, if there is a tracer.
     *
     * @param write gets the traceparent that it is to write; null if none
     */
    public <T> T published(Supplier<Publication> publication, Function<@Nullable String, T> write) {
        if (tracing == null) {
            return write.apply(ofCaller());
        }
        Span span = publish(publication.get());
        try {
            T written = write.apply(span.trace());
            span.end(null);
            return written;
        } catch (RuntimeException | Error e) {
            span.end(e);
            throw e;
        }
    }

    /** The trace that is written where there is no tracer: the caller's, unless that was sampled out; null if there is none. */
    public static @Nullable String ofCaller() {
        String trace = CallerTrace.current();
        return trace != null && Traceparent.isSampled(trace) ? trace : null;
    }

    /** Does the work without beginning a span for what it writes. */
    public static <T> T withoutSpans(Supplier<T> work) {
        return CallerTrace.withoutSpans(work);
    }

    /** The span of somebody else, which continues. */
    private record Passed(String trace) implements Span {
        @Override
        public void end(@Nullable Throwable failure) {}
    }

    /** Begins the span of an attempt; there is none if the job carries no trace. */
    public Span process(ClaimedJob job, String node) {
        Tracing tracer = tracing;
        String trace = job.trace();
        if (tracer == null || trace == null) {
            return Span.NONE;
        }
        return begin(
                tracer,
                () -> tracer.process(new Processing(
                        TelemetryListeners.claimOf(job), DriverJobs.workflowOf(job.name()), node, trace)));
    }

    /** Begins the span of a step; there is none if the run's activation has no trace. */
    public Span step(String workflow, JobId run, String name, String path, int attempt, Optional<String> trace) {
        Tracing tracer = tracing;
        return tracer == null || trace.isEmpty()
                ? Span.NONE
                : begin(tracer, () -> tracer.step(new Step(workflow, run, name, path, attempt, trace.get())));
    }

    /** Begins the span of a tick, which begins a trace. */
    public Span tick(String cron, String name, JobId job, Instant at) {
        Tracing tracer = tracing;
        return tracer == null ? Span.NONE : begin(tracer, () -> tracer.tick(new Tick(cron, name, job, at)));
    }

    private Span begin(Tracing tracer, Supplier<Span> span) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        Span begun = null;
        try {
            begun = span.get();
            String trace = begun.trace();
            return new GuardedSpan(tracer, begun, trace != null && Traceparent.isValid(trace) ? trace : null);
        } catch (Throwable e) {
            failures.warn(tracer, e);
            if (begun != null) {
                // It may be the current one of this thread, on which other jobs run later.
                endQuietly(tracer, begun, e);
            }
            return Span.NONE;
        } finally {
            interruptAgain(interrupted);
        }
    }

    private void endQuietly(Tracing tracer, Span span, @Nullable Throwable failure) {
        try {
            span.end(failure);
        } catch (Throwable e) {
            failures.warn(tracer, e);
        }
    }

    /** An interrupt that came meanwhile may be meant for the caller or the handler, so it stays. */
    private static void interruptAgain(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A span whose failures do not reach the engine. */
    private final class GuardedSpan implements Span {
        private final Tracing tracer;
        private final Span span;
        private final @Nullable String trace;

        GuardedSpan(Tracing tracer, Span span, @Nullable String trace) {
            this.tracer = tracer;
            this.span = span;
            this.trace = trace;
        }

        @Override
        public @Nullable String trace() {
            return trace;
        }

        @Override
        public void end(@Nullable Throwable failure) {
            boolean interrupted = Thread.currentThread().isInterrupted();
            endQuietly(tracer, span, failure);
            interruptAgain(interrupted);
        }
    }
}
