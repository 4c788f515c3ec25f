package dev.muster.gateway.internal.metrics;

import dev.muster.telemetry.Telemetry.Loss;
import dev.muster.telemetry.Telemetry.Outcome;
import java.util.concurrent.atomic.LongAdder;

/** What is counted for one job name in one queue. */
final class JobCounts {
    final LongAdder claimed = new LongAdder();
    final LongAdder started = new LongAdder();
    final LongAdder stuck = new LongAdder();
    final LongAdder expired = new LongAdder();
    final LongAdder crashed = new LongAdder();
    final LongAdder takenBack = new LongAdder();
    final Counts<Outcome.Kind> outcomes = new Counts<>(Outcome.Kind.values());
    final Counts<Loss.Reason> lost = new Counts<>(Loss.Reason.values());
    final Histogram run = new Histogram();
    final Histogram waited = new Histogram();

    void write(Samples samples, String name, String queue) {
        samples.add(Metric.JOBS_CLAIMED, claimed.sum(), name, queue);
        samples.add(Metric.JOBS_STARTED, started.sum(), name, queue);
        samples.add(Metric.HANDLERS_STUCK, stuck.sum(), name, queue);
        samples.add(Metric.JOBS_EXPIRED, expired.sum(), name, queue);
        samples.add(Metric.CLAIMS_RECOVERED, crashed.sum(), name, queue, "true");
        samples.add(Metric.CLAIMS_RECOVERED, takenBack.sum(), name, queue, "false");
        outcomes.forEach((outcome, count) -> samples.add(Metric.JOB_OUTCOMES, count, name, queue, outcome));
        lost.forEach((reason, count) -> samples.add(Metric.CLAIMS_LOST, count, name, queue, reason));
        samples.add(Metric.JOB_RUN, run, name, queue);
        samples.add(Metric.JOB_WAIT, waited, name, queue);
    }
}
