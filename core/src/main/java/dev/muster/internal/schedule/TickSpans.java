package dev.muster.internal.schedule;

import dev.muster.internal.telemetry.Traces;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobRequest;
import dev.muster.telemetry.Tracing.Span;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The spans of ticks whose jobs are enqueued together. Each begins a trace, which its job carries. */
final class TickSpans {
    private final Traces traces;
    private final List<Span> spans = new ArrayList<>();

    TickSpans(Traces traces) {
        this.traces = traces;
    }

    /** The request with the trace that the tick begins. */
    JobRequest begin(String cron, Instant tick, JobRequest request) {
        if (!traces.isEnabled()) {
            return request;
        }
        Span span = traces.tick(cron, request.name(), request.id().orElseThrow(), tick);
        spans.add(span);
        return span.trace() == null ? request : request.trace(span.trace());
    }

    /** Enqueues the jobs of the ticks, which have no other spans: not even if their own were sampled out. */
    void enqueue(Enqueuer enqueuer, List<JobRequest> requests) {
        if (spans.isEmpty()) {
            enqueuer.enqueueAll(requests);
            return;
        }
        try {
            Traces.withoutSpans(() -> enqueuer.enqueueAll(requests));
            end(null);
        } catch (RuntimeException | Error e) {
            end(e);
            throw e;
        }
    }

    private void end(@Nullable Throwable failure) {
        spans.forEach(span -> span.end(failure));
    }
}
