package dev.muster.internal.recovery;

import dev.muster.internal.job.store.RecoveryStore;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.JobListener;
import dev.muster.job.JobStatus;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * With {@code worker.claiming = false} claims do not expire, so a node takes over those of the process that ran before it, before
 * it starts to work. No other worker can lose any: if there were one, this node could not have joined.
 */
public record PredecessorsJobs(String self, RecoveryStore recovery, JobListener listener, TelemetryListeners telemetry)
        implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(PredecessorsJobs.class);

    @Override
    public String name() {
        return "jobs-of-predecessor";
    }

    @Override
    public Phase phase() {
        return Phase.PREPARATION;
    }

    @Override
    public void start() {
        List<Recovered> recovered = recovery.recoverAll();
        telemetry.recovered(recovered);
        if (!recovered.isEmpty()) {
            log.info("node={} took over {} jobs that its predecessor left", self, recovered.size());
            recovered.stream()
                    .filter(job -> job.status() == JobStatus.FAILED)
                    .map(Recovered::asDeadLetter)
                    .forEach(listener::deadLetter);
        }
    }
}
