package dev.muster.internal.recovery;

import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobListener;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.runtime.MusterException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports jobs that were taken back or have ended: to workers, to dependent jobs, to the listener and to the log. */
final class RecoveredJobs {
    private static final Logger log = LoggerFactory.getLogger(RecoveredJobs.class);

    private final DependencyStore dependencies;
    private final JobListener listener;
    private final TelemetryListeners telemetry;
    private final Consumer<Set<Lane>> newWork;

    /** @param newWork told of lanes in which jobs have become claimable */
    RecoveredJobs(
            DependencyStore dependencies,
            JobListener listener,
            TelemetryListeners telemetry,
            Consumer<Set<Lane>> newWork) {
        this.dependencies = dependencies;
        this.listener = listener;
        this.telemetry = telemetry;
        this.newWork = newWork;
    }

    /** These claims were taken from nodes. */
    void takenBack(List<Recovered> recovered) {
        RecoveryReport report = new RecoveryReport();
        takenBack(recovered, report);
        report.log();
    }

    /** These claims, and perhaps more that are added to the same report, were taken from nodes. The caller logs the report. */
    void takenBack(List<Recovered> recovered, RecoveryReport report) {
        // Workers are told first: every log line written before would delay the jobs.
        freed(recovered.stream()
                .filter(job -> job.status() == JobStatus.PENDING)
                .map(Recovered::lane)
                .collect(Collectors.toSet()));
        telemetry.recovered(recovered);
        recovered.forEach(report::add);
        ended(recovered.stream()
                .filter(job -> job.status().isTerminal())
                .map(Recovered::id)
                .toList());
        recovered.stream()
                .filter(job -> job.status() == JobStatus.FAILED)
                .map(Recovered::asDeadLetter)
                .forEach(listener::deadLetter);
    }

    /** These jobs have ended because no node claimed them in time. */
    void expired(List<ExpiredJob> expired) {
        ended(expired.stream().map(ExpiredJob::id).toList());
        expired.forEach(listener::expired);
        if (telemetry.isEnabled()) {
            expired.forEach(telemetry::expired);
        }
    }

    /** These jobs have ended. */
    private void ended(Collection<JobId> ids) {
        if (!ids.isEmpty()) {
            try {
                freed(dependencies.resolveDependents(ids));
            } catch (MusterException e) {
                log.debug("dependents of {} jobs are left to the next sweep", ids.size(), e);
            }
        }
    }

    /** Jobs in these lanes can be claimed now. */
    void freed(Set<Lane> lanes) {
        if (!lanes.isEmpty()) {
            newWork.accept(lanes);
        }
    }
}
