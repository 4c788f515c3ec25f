package dev.muster.internal.worker;

import dev.muster.config.WorkerConfig;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.runtime.ProcessExit;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs' part of {@code Node.drain}, which has the order of all parts: waits for the handlers of a node that claims nothing more,
 * interrupts the rest, and writes the last outcomes.
 */
final class WorkerDrain {
    private static final Logger log = LoggerFactory.getLogger(WorkerDrain.class);
    private static final Duration TIME_FOR_LAST_OUTCOMES = Duration.ofSeconds(2);

    private final String nodeId;
    private final WorkerConfig config;
    private final ClaimStore store;
    private final List<NodeExecutor> executors;
    private final ClaimTable claims;
    private final Completer completer;
    private final JobRun run;
    private final JobLogBuffer logs;
    private final Dependents dependents;
    private final Consumer<Set<Lane>> returned;
    private final Consumer<Set<String>> admit;
    private final OutcomeReports reports;
    private final Clock clock;

    WorkerDrain(
            String nodeId,
            WorkerConfig config,
            ClaimStore store,
            List<NodeExecutor> executors,
            OpenWork work,
            JobRun run,
            FollowUps after,
            Clock clock) {
        this.nodeId = nodeId;
        this.config = config;
        this.store = store;
        this.executors = executors;
        this.claims = work.claims();
        this.completer = work.completer();
        this.run = run;
        this.logs = work.logs();
        this.dependents = after.dependents();
        this.returned = after.returned();
        this.admit = after.admit();
        this.reports = after.reports();
        this.clock = clock;
    }

    /** Returns whether every outcome was written. */
    boolean run() {
        long deadline = System.nanoTime() + config.drainTimeout().toNanos();
        long forLastOutcomes =
                Math.min(TIME_FOR_LAST_OUTCOMES.toNanos(), config.drainTimeout().toNanos() / 2);
        executors.forEach(executor -> executor.buffer().close());
        executors.forEach(this::releaseBuffered);
        chargeCrashToJobThatCalledExit();
        if (!awaitIdle(deadline - forLastOutcomes)) {
            interruptRunning(forLastOutcomes / 2);
        }
        boolean clean = flush(Math.max(deadline, System.nanoTime() + TIME_FOR_LAST_OUTCOMES.toNanos()));
        flushLogs();
        if (clean) {
            forgetClaims();
        }
        executors.forEach(executor -> executor.feeder().close(left(deadline)));
        return clean;
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }

    private void releaseBuffered(NodeExecutor executor) {
        List<OpenClaim> unstarted = new ArrayList<>(executor.buffer().removeAll());
        unstarted.addAll(executor.running());
        for (OpenClaim claim : unstarted) {
            if (claim.endUnstarted()) {
                completer.add(new Outcome.Released(claim.ref()));
            }
        }
    }

    /** Waits until no thread runs the handler of an open claim; false if that is not so at the deadline. */
    private boolean awaitIdle(long deadline) {
        boolean idle = true;
        for (NodeExecutor executor : executors) {
            idle &= executor.slots().awaitIdle(deadline - System.nanoTime());
        }
        return idle;
    }

    /**
     * A handler that calls System.exit would end one node after the other. So its job is charged a crash and becomes a suspect,
     * as if it had killed this node. The other jobs of this node are released, as after a signal.
     */
    private void chargeCrashToJobThatCalledExit() {
        OpenClaim claim = ProcessExit.caller().map(this::claimOn).orElse(null);
        if (claim == null || claim.completesItself() || !claim.end()) {
            return;
        }
        boolean held = claims.remove(claim.ref()) != null;
        log.error(
                "job={} name={} called System.exit and ends this node; it is charged a crash",
                claim.job().id(),
                claim.job().name());
        try {
            long elapsed = TimeUnit.NANOSECONDS.toMillis(clock.nanos() - claim.startedAt());
            List<Recovered> charged = store.crashed(List.of(claim.asStart(elapsed)));
            returned.accept(charged.stream()
                    .filter(job -> job.status() == JobStatus.PENDING)
                    .map(Recovered::lane)
                    .collect(Collectors.toSet()));
            dependents.ended(charged.stream()
                    .filter(job -> job.status().isTerminal())
                    .map(Recovered::id)
                    .toList());
            if (claim.job().concurrencyGroup() != null) {
                admit.accept(Set.of(claim.job().concurrencyGroup()));
            }
            reports.charged(charged);
            if (held && charged.isEmpty()) {
                reports.lost(claim);
            }
        } catch (MusterException e) {
            log.warn("job={} the crash could not be written: {}", claim.job().id(), e.getMessage());
        }
    }

    private @Nullable OpenClaim claimOn(Thread thread) {
        return executors.stream()
                .map(executor -> executor.slots().claimOn(thread))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private void interruptRunning(long nanos) {
        long now = clock.nanos();
        for (NodeExecutor executor : executors) {
            executor.running().forEach(claim -> claim.stop(StopReason.DRAINED, now));
        }
        if (awaitIdle(System.nanoTime() + nanos)) {
            return;
        }
        for (NodeExecutor executor : executors) {
            for (OpenClaim claim : executor.running()) {
                if (!claim.completesItself() && claim.end()) {
                    completer.add(claim.withLastProgress(run.stoppedOutcome(claim, StopReason.DRAINED)));
                }
            }
        }
    }

    private void forgetClaims() {
        try {
            store.forgetClaims(nodeId);
        } catch (MusterException e) {
            log.debug("notes of claims are left to the sweep", e);
        }
    }

    private void flushLogs() {
        try {
            logs.flush();
        } catch (MusterException e) {
            log.warn("the last log lines of jobs could not be written: {}", e.getMessage());
        }
    }

    /** Waits until every outcome is written. Claims without one are released when this node's row is removed. */
    private boolean flush(long deadline) {
        while (executors.stream().anyMatch(executor -> executor.held().get() > 0) || !completer.isEmpty()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            completer.roomMade();
            try {
                TimeUnit.MILLISECONDS.sleep(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }
}
