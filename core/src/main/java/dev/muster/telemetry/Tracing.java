package dev.muster.telemetry;

import dev.muster.job.JobId;
import dev.muster.telemetry.Telemetry.Claim;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes spans of a tracer, such as OpenTelemetry, of what Muster does for one trace. Register it with {@code
 * Muster.builder().tracing(…)}; {@code muster-opentelemetry} has one.
 *
 * <pre>
 *   publish ──▶ the job's column "trace" ──▶ process, attempt 1
 *   (or tick)                            ──▶ process, attempt 2        attempts of a job have the same parent
 *                                        ──▶ process of a workflow's run ──▶ step ──▶ publish …
 * </pre>
 *
 * <ul>
 *   <li>Every method begins a span, and makes it the current one of its thread where its description says so. The engine ends the span
 *       once, on the same thread.
 *   <li>A span that was sampled out has no {@linkplain Span#trace traceparent}. Nothing is then written, and what follows makes no spans.
 *   <li>The methods are called on the threads of handlers and callers, many at the same time. Whatever they throw is caught, and logged at
 *       most once a minute; there is no span then.
 * </ul>
 */
public interface Tracing {

    /**
     * Jobs or runs are about to be written. The span is a child of the current one of this thread; if there is none, of {@link
     * Publication#parent}; if there is none either, it begins a trace.
     */
    Span publish(Publication publication);

    /** A handler is about to be called for a job that has a trace. The span is current until it ends. */
    Span process(Processing processing);

    /** A step of a run that has a trace is about to be executed, not replayed. The span is current until it ends. */
    Span step(Step step);

    /** A tick of a cron is about to be written with its job. The span begins a trace, whatever the thread's current span is. */
    Span tick(Tick tick);

    /** A span that has begun. */
    interface Span {
        /** No span. */
        Span NONE = new Span() {
            @Override
            public @Nullable String trace() {
                return null;
            }

            @Override
            public void end(@Nullable Throwable failure) {}
        };

        /** The W3C traceparent of this span; null if it was sampled out. */
        @Nullable
        String trace();

        /**
         * Ends the span, and makes the span current that was so before.
         *
         * @param failure what went wrong; null if nothing did
         */
        void end(@Nullable Throwable failure);
    }

    /**
     * Jobs, or runs of workflows, that are written together.
     *
     * @param name the name of the jobs or of the workflow; empty if they have different names
     * @param workflow whether they are runs
     * @param queue empty if they have different queues
     * @param id empty if there are several
     * @param count how many there are
     * @param parent the traceparent of what writes them if its thread has no span: the run that starts a child, or the caller of a gateway;
     *     null if there is none
     */
    record Publication(
            Optional<String> name,
            boolean workflow,
            Optional<String> queue,
            Optional<JobId> id,
            int count,
            @Nullable String parent) {

        public Publication withParent(@Nullable String parent) {
            return new Publication(name, workflow, queue, id, count, parent);
        }
    }

    /**
     * One attempt at a job, or one activation of a run.
     *
     * @param claim the name is that of the job; for a run it is that of its driver
     * @param workflow the name of the workflow, for a run
     * @param node the node that runs it
     * @param trace the traceparent that the job carries
     */
    record Processing(Claim claim, Optional<String> workflow, String node, String trace) {}

    /**
     * One attempt at a step.
     *
     * @param path where the step is in its run
     * @param attempt the number of the attempt, the first being 1
     * @param trace the traceparent of the run's activation
     */
    record Step(String workflow, JobId run, String name, String path, int attempt, String trace) {}

    /**
     * A tick of a cron.
     *
     * @param cron the name of the cron
     * @param name the name of its job
     * @param job the job that it enqueues
     * @param at when the tick was due
     */
    record Tick(String cron, String name, JobId job, Instant at) {}
}
