package dev.muster.internal.worker;

import dev.muster.config.WorkerConfig;
import dev.muster.config.WorkerConfig.OnDisconnect;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import dev.muster.telemetry.Telemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enforces the deadlines that the node's own clock measures: timeouts, leases that cannot be renewed, jobs that wait too long in
 * the buffer. Never waits for the database.
 */
final class LeaseAndTimeoutWatch {
    private static final Logger log = LoggerFactory.getLogger(LeaseAndTimeoutWatch.class);

    /** How long a handler may take to react to its interruption before its claim is ended without it. */
    static final Duration GRACE = Duration.ofSeconds(1);

    private final WorkerConfig config;
    private final ClaimTable claims;
    private final List<NodeExecutor> executors;
    private final Completer completer;
    private final JobRun run;
    private final TelemetryListeners telemetry;
    private final Clock clock;

    LeaseAndTimeoutWatch(
            WorkerConfig config,
            ClaimTable claims,
            List<NodeExecutor> executors,
            Completer completer,
            JobRun run,
            TelemetryListeners telemetry,
            Clock clock) {
        this.config = config;
        this.claims = claims;
        this.executors = executors;
        this.completer = completer;
        this.run = run;
        this.telemetry = telemetry;
        this.clock = clock;
    }

    Duration tick() {
        long now = clock.nanos();
        for (NodeExecutor executor : executors) {
            for (OpenClaim claim : executor.running()) {
                if (claim.isRunning()) {
                    checkRunning(claim, now);
                }
            }
        }
        checkAbandoned();
        checkLeases(now);
        executors.forEach(executor -> checkBuffer(executor, now));
        return Duration.ofMillis(Math.min(250, config.lease().toMillis() / 10));
    }

    private void checkRunning(OpenClaim claim, long now) {
        if (claim.stopReason() == null && claim.timedOut(now)) {
            log.warn(
                    "job={} name={} timed out after {}",
                    claim.job().id(),
                    claim.job().name(),
                    claim.timeout());
            claim.stop(StopReason.TIMED_OUT, now);
        } else if (claim.stopReason() != null && now - claim.stoppedAt() > GRACE.toNanos()) {
            giveUp(claim, now);
        }
    }

    /** Ends the claim of a handler that does not react to its interruption, unless its job keeps its place until the handler returns. */
    private void giveUp(OpenClaim claim, long now) {
        StopReason reason = claim.stopReason();
        boolean mayStillReact = reason == StopReason.CANCELLED && !claim.timedOut(now);
        if (claim.completesItself() || reason == null || mayStillReact) {
            // A cancelled handler may take until its timeout; one that called completeIn decides in its own
            // transaction.
            return;
        }
        if (claim.job().keepsPlace()) {
            // The thread that runs the handler writes the outcome, when it returns. Until then the lease is renewed.
            if (claim.giveUpOnHandler()) {
                tellStuck(claim, reason, now);
            }
        } else if (claim.end()) {
            tellStuck(claim, reason, now);
            completer.add(claim.withLastProgress(run.stoppedOutcome(claim, reason)));
        }
    }

    private void tellStuck(OpenClaim claim, StopReason reason, long now) {
        log.warn(
                "job={} name={} ignores its interruption ({}); its thread is stuck until it returns{}",
                claim.job().id(),
                claim.job().name(),
                reason,
                claim.job().keepsPlace() ? ", and so is its place among a limited number of jobs" : "");
        if (telemetry.isEnabled()) {
            telemetry.stuck(new Telemetry.Stuck(TelemetryListeners.claimOf(claim.job()), now - claim.startedAt()));
        }
    }

    /** A job whose thread could not report an outcome, for lack of memory, gets another attempt or fails. */
    private void checkAbandoned() {
        for (OpenClaim claim : claims.all()) {
            if (claim.isAbandoned()) {
                run.broken(
                        claim,
                        new MusterException("its thread broke off without an outcome; was there enough memory?"));
            }
        }
    }

    /** Interrupts jobs whose lease is about to end, so that they have stopped before another node may start them. */
    private void checkLeases(long now) {
        if (config.onDisconnect() == OnDisconnect.CONTINUE || !config.claiming()) {
            return;
        }
        long margin = config.lease().toNanos() / 6;
        for (OpenClaim claim : claims.all()) {
            if (claim.leaseEnd() - margin - now > 0 || claim.completesItself()) {
                continue;
            }
            if (claim.endUnstarted()) {
                claim.executor().buffer().remove(claim);
                completer.add(new Outcome.Released(claim.ref()));
            } else if (claim.isRunning() && claim.stopReason() == null) {
                log.warn(
                        "job={} name={} interrupted: its lease could not be renewed",
                        claim.job().id(),
                        claim.job().name());
                claim.stop(StopReason.DISCONNECTED, now);
            }
        }
    }

    private static long meanElapsed(NodeExecutor executor, long now) {
        return (long) executor.running().stream()
                .filter(claim -> !claim.isBuffered())
                .mapToLong(claim -> now - claim.startedAt())
                .average()
                .orElse(0);
    }

    /** Releases jobs that have waited too long for a thread, so that another node can run them. */
    private void checkBuffer(NodeExecutor executor, long now) {
        long limit = now - config.claimedTimeout().toNanos();
        List<OpenClaim> late = new ArrayList<>(executor.buffer().removeClaimedBefore(limit));
        for (OpenClaim claim : executor.running()) {
            if (claim.isBuffered() && claim.claimedAt() - limit < 0) {
                late.add(claim);
            }
        }
        if (!late.isEmpty()) {
            executor.throughput().stalled(meanElapsed(executor, now));
            for (OpenClaim claim : late) {
                if (claim.endUnstarted()) {
                    completer.add(new Outcome.Released(claim.ref()));
                }
            }
            log.debug("released {} buffered jobs that found no thread within {}", late.size(), config.claimedTimeout());
        }
    }
}
