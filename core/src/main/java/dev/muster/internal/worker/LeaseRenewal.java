package dev.muster.internal.worker;

import dev.muster.config.WorkerConfig;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.HandedBack;
import dev.muster.internal.job.store.ClaimStore.Marked;
import dev.muster.internal.job.store.ClaimStore.Renewal;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's claims in step with the database: renews leases, marks jobs that have been running for a while as running,
 * and learns of cancellations and lost claims. A short job costs no statement here.
 */
final class LeaseRenewal {
    private static final Logger log = LoggerFactory.getLogger(LeaseRenewal.class);
    private static final long SHOW_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long INSPECT_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Duration TICK = Duration.ofMillis(250);
    private static final long HAND_BACK_AFTER_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MAX_HANDED_BACK = 1_000;

    /** How many leases long an outcome may wait to be written: ten minutes by default. */
    private static final int MAX_LEASES_UNWRITTEN = 20;

    private final ClaimStore store;
    private final WorkerConfig config;
    private final ClaimTable claims;
    private final Supplier<List<OpenClaim>> running;
    private final Completer completer;
    private final OpenCompletions openCompletions;
    private final OpenCompletions.CompletionListener completionKnown;
    private final JobLogBuffer logs;
    private final Consumer<Set<Lane>> returned;
    private final Dependents dependents;
    private final OutcomeReports reports;
    private final Clock clock;
    private final Map<ClaimRef, Long> waitingSince = new HashMap<>();
    private long inspectedAt;
    private long reportedAt;

    /** @param running returns the claims whose handler is on a thread now */
    LeaseRenewal(
            ClaimStore store,
            WorkerConfig config,
            OpenWork work,
            Supplier<List<OpenClaim>> running,
            OpenCompletions.CompletionListener completionKnown,
            FollowUps after,
            Clock clock) {
        this.store = store;
        this.config = config;
        this.claims = work.claims();
        this.running = running;
        this.completer = work.completer();
        this.openCompletions = work.completions();
        this.completionKnown = completionKnown;
        this.logs = work.logs();
        this.returned = after.returned();
        this.dependents = after.dependents();
        this.reports = after.reports();
        this.clock = clock;
    }

    /** Renews leases, and releases what the pumps cannot release. Nothing here waits for a connection of the pool. */
    Duration renewTick() {
        renew();
        handBack();
        handBackUnwritten();
        return tick();
    }

    private Duration tick() {
        return config.renew().compareTo(TICK.multipliedBy(4)) < 0
                ? config.renew().dividedBy(4)
                : TICK;
    }

    Duration watchTick() {
        if (!openCompletions.isEmpty()) {
            openCompletions.check(store, completionKnown);
        }
        showRunning();
        inspectRunning();
        reportProgress();
        logs.flush();
        return tick();
    }

    private void renew() {
        if (!config.claiming()) {
            return;
        }
        long now = clock.nanos();
        Map<ClaimRef, OpenClaim> due = new HashMap<>();
        for (OpenClaim claim : claims.all()) {
            if (!isWorthKeeping(claim)) {
                continue;
            }
            long leaseAge = config.lease().toNanos() - (claim.leaseEnd() - now);
            if (leaseAge >= config.renew().toNanos()) {
                due.put(claim.ref(), claim);
            }
        }
        if (due.isEmpty()) {
            return;
        }
        Renewal renewal = store.renew(due.keySet(), config.lease());
        act(renewal);
        due.forEach((ref, claim) -> {
            if (!renewal.lost().contains(ref) && !renewal.skipped().contains(ref)) {
                claim.renewed(now + config.lease().toNanos(), now);
            }
        });
    }

    /**
     * A claim is kept until its outcome is written. If the lease of a claim that has ended ran out, the sweep would take it from a node
     * that lives, charge its job a crash, and have it run again. An abandoned one gets its outcome in a moment.
     */
    private static boolean isWorthKeeping(OpenClaim claim) {
        return !claim.isAbandoned();
    }

    /** Releases jobs over the control connection that the pumps have not been able to release for a while. */
    private void handBack() {
        long now = clock.nanos();
        waitingSince.keySet().retainAll(completer.goingBack());
        completer.goingBack().forEach(ref -> waitingSince.putIfAbsent(ref, now));
        List<ClaimRef> late = waitingSince.entrySet().stream()
                .filter(waiting -> now - waiting.getValue() >= HAND_BACK_AFTER_NANOS)
                .map(Map.Entry::getKey)
                .limit(MAX_HANDED_BACK)
                .toList();
        if (late.isEmpty()) {
            return;
        }
        release(late);
        log.warn("handed back {} jobs over the control connection: the pool gave no connection in time", late.size());
    }

    /**
     * An outcome that nothing can write must not keep its job from the cluster without end. A job that may run only once is kept, because
     * no other node could run it.
     */
    private void handBackUnwritten() {
        long now = clock.nanos();
        long limit = MAX_LEASES_UNWRITTEN * config.lease().toNanos();
        List<ClaimRef> unwritten = claims.all().stream()
                .filter(claim ->
                        claim.unwrittenNanos(now) >= limit && !claim.retries().runsOnce())
                .map(OpenClaim::ref)
                .limit(MAX_HANDED_BACK)
                .toList();
        if (unwritten.isEmpty()) {
            return;
        }
        release(unwritten);
        log.error(
                "handed back {} jobs that have ended, and will run again: their outcomes could not be written for {} s",
                unwritten.size(),
                TimeUnit.NANOSECONDS.toSeconds(limit));
    }

    private void release(List<ClaimRef> refs) {
        HandedBack handedBack = store.release(refs);
        refs.forEach(ref -> {
            completer.goingBack().remove(ref);
            close(ref, handedBack);
        });
        completer.roomMade();
        returned.accept(handedBack.lanes());
        dependents.endedElsewhere(
                handedBack.cancelled().stream().map(ClaimRef::id).toList());
    }

    /** The queued outcome of a claim that was not handed back tells later whether a pump has written it or the claim was lost. */
    private void close(ClaimRef ref, HandedBack handedBack) {
        boolean cancelled = handedBack.cancelled().contains(ref);
        OpenClaim claim = claims.get(ref);
        if (claim == null) {
            return;
        }
        if (!cancelled && !handedBack.pending().contains(ref)) {
            reports.closeEarly(claim, claims);
        } else if (claims.remove(ref) != null) {
            reports.accepted(
                    claim,
                    cancelled
                            ? new Outcome.Cancelled(ref, "cancelled while it was to go back")
                            : new Outcome.Released(ref));
        }
    }

    private void showRunning() {
        long now = clock.nanos();
        List<Start> starts = new ArrayList<>();
        for (OpenClaim claim : running.get()) {
            long elapsed = now - claim.startedAt();
            if (claim.isRunning() && !claim.shownRunning() && !claim.completesItself() && elapsed >= SHOW_AFTER_NANOS) {
                starts.add(claim.asStart(TimeUnit.NANOSECONDS.toMillis(elapsed)));
            }
        }
        if (starts.isEmpty()) {
            return;
        }
        Marked marked = store.markRunning(starts);
        marked.running().forEach(ref -> {
            OpenClaim claim = claims.get(ref);
            if (claim != null) {
                claim.shown();
            }
        });
        lost(marked.lost());
    }

    /** Checks now and then whether long-running jobs were cancelled or their claims were lost. */
    private void inspectRunning() {
        long now = clock.nanos();
        if (now - inspectedAt < INSPECT_EVERY_NANOS) {
            return;
        }
        inspectedAt = now;
        List<ClaimRef> shown = running.get().stream()
                .filter(claim -> claim.isRunning() && claim.shownRunning() && !claim.completesItself())
                .map(OpenClaim::ref)
                .toList();
        if (!shown.isEmpty()) {
            act(store.inspect(shown));
        }
    }

    private void reportProgress() {
        long now = clock.nanos();
        if (now - reportedAt < INSPECT_EVERY_NANOS) {
            return;
        }
        Map<ClaimRef, Progress> progress = new HashMap<>();
        List<OpenClaim> reporting = new ArrayList<>();
        for (OpenClaim claim : running.get()) {
            if (claim.isRunning() && !claim.completesItself()) {
                claim.unreportedProgress().ifPresent(said -> {
                    progress.put(claim.ref(), said);
                    reporting.add(claim);
                });
            }
        }
        if (!progress.isEmpty()) {
            reportedAt = now;
            Set<ClaimRef> written = store.progress(progress);
            reporting.stream()
                    .filter(claim -> written.contains(claim.ref()))
                    .forEach(claim -> claim.reported(progress.get(claim.ref())));
        }
    }

    private void act(Renewal renewal) {
        lost(renewal.lost());
        long now = clock.nanos();
        for (ClaimRef ref : renewal.cancelled()) {
            OpenClaim claim = claims.get(ref);
            if (claim == null) {
                continue;
            }
            if (claim.endUnstarted()) {
                claim.executor().buffer().remove(claim);
                completer.add(new Outcome.Cancelled(ref, "cancelled before it started"));
            } else {
                claim.stop(StopReason.CANCELLED, now);
            }
        }
    }

    /** A claim whose outcome was just written is no longer in the table; the others in this list are really lost. */
    private void lost(Collection<ClaimRef> refs) {
        for (ClaimRef ref : Set.copyOf(refs)) {
            OpenClaim claim = claims.get(ref);
            if (claim != null && !claim.completesItself() && claim.lose()) {
                claim.executor().buffer().remove(claim);
                if (claims.remove(ref) != null) {
                    reports.lost(claim);
                }
                completer.roomMade();
                log.warn("job={} token={} claim lost; its handler is interrupted", ref.id(), ref.token());
            }
        }
    }
}
