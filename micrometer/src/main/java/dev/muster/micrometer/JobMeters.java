package dev.muster.micrometer;

import dev.muster.telemetry.Telemetry.Loss;
import dev.muster.telemetry.Telemetry.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.Map;

/** The meters of one job name in one queue. */
final class JobMeters {
    final Counter claimed;
    final Counter started;
    final Counter stuck;
    final Counter expired;
    final Counter crashed;
    final Counter takenBack;
    final Map<Outcome.Kind, Counter> outcomes;
    final Map<Loss.Reason, Counter> lost;
    final Timer run;
    final Timer waited;

    JobMeters(Meters meters, String name, String queue) {
        this.claimed = meters.counter(MeterName.JOBS_CLAIMED, name, queue);
        this.started = meters.counter(MeterName.JOBS_STARTED, name, queue);
        this.stuck = meters.counter(MeterName.HANDLERS_STUCK, name, queue);
        this.expired = meters.counter(MeterName.JOBS_EXPIRED, name, queue);
        this.crashed = meters.counter(MeterName.CLAIMS_RECOVERED, name, queue, "true");
        this.takenBack = meters.counter(MeterName.CLAIMS_RECOVERED, name, queue, "false");
        this.outcomes = meters.counters(
                Outcome.Kind.class, kind -> meters.counter(MeterName.JOB_OUTCOMES, name, queue, Meters.text(kind)));
        this.lost = meters.counters(
                Loss.Reason.class, reason -> meters.counter(MeterName.CLAIMS_LOST, name, queue, Meters.text(reason)));
        this.run = meters.timer(MeterName.JOB_RUN, name, queue);
        this.waited = meters.timer(MeterName.JOB_WAIT, name, queue);
    }
}
