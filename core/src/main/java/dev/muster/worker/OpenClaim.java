package dev.muster.worker;

import dev.muster.job.JobHandler;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.RetryPolicy;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.JobStore.Start;
import dev.muster.job.store.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A claim this node holds, and where it is; see the package description. */
final class OpenClaim {
    private enum State {
        BUFFERED,
        RUNNING,
        ENDED,
        LOST
    }

    private final ClaimedJob job;
    private final JobHandler handler;
    private final RetryPolicy policy;
    private final long claimedAt;
    private final long timeoutNanos;
    private final AtomicReference<State> state = new AtomicReference<>(State.BUFFERED);
    private volatile long leaseEnd;
    private volatile long startedAt;
    private volatile long stoppedAt;
    private volatile boolean shownRunning;
    private volatile boolean completesItself;
    private volatile boolean databaseFailed;
    private volatile @Nullable StopReason stopReason;
    private final AtomicReference<@Nullable Progress> unreported = new AtomicReference<>();
    private @Nullable Thread thread;
    private int renewalsSinceEnd;

    OpenClaim(ClaimedJob job, JobHandler handler, long claimedAt, Duration lease, Duration defaultTimeout) {
        this.job = job;
        this.handler = handler;
        this.policy = handler.retry().withLimits(job.maxAttempts(), job.maxCrashes());
        this.claimedAt = claimedAt;
        this.leaseEnd = claimedAt + lease.toNanos();
        Duration own = job.timeout() != null ? job.timeout() : handler.timeout();
        this.timeoutNanos = (own != null ? own : defaultTimeout).toNanos();
    }

    ClaimedJob job() {
        return job;
    }

    /** Characters of args and metadata that came with the claim. */
    int characters() {
        return length(job.args()) + length(job.metadata());
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    ClaimRef ref() {
        return job.claim();
    }

    JobHandler handler() {
        return handler;
    }

    RetryPolicy policy() {
        return policy;
    }

    /** Whether {@code running} must be committed before the handler is entered. */
    boolean startsOnRecord() {
        return job.suspect() || policy.runsOnce();
    }

    /** Whether this job has crashed its nodes as often as it may. */
    boolean crashedOut() {
        return job.crashes() > 0 && job.crashes() >= policy.maxCrashes();
    }

    /** What is written when it is shown as running. */
    Start asStart(long agoMillis) {
        return new Start(ref(), policy.maxAttempts(), policy.maxCrashes(), agoMillis);
    }

    long claimedAt() {
        return claimedAt;
    }

    long leaseEnd() {
        return leaseEnd;
    }

    void renewed(long newLeaseEnd) {
        leaseEnd = newLeaseEnd;
        if (state.get() == State.ENDED) {
            renewalsSinceEnd++;
        }
    }

    /** How often its lease was extended while its outcome waited to be written. Known to the thread that renews. */
    int renewalsSinceEnd() {
        return renewalsSinceEnd;
    }

    /** Whether it counts as running although no thread runs it any more: its thread could not say how it ended. */
    synchronized boolean isAbandoned() {
        return isRunning() && thread == null && !completesItself;
    }

    long startedAt() {
        return startedAt;
    }

    boolean timedOut(long now) {
        return now - startedAt >= timeoutNanos;
    }

    Duration timeout() {
        return Duration.ofNanos(timeoutNanos);
    }

    boolean shownRunning() {
        return shownRunning;
    }

    void shown() {
        shownRunning = true;
    }

    /** Whether the handler has put the outcome into a transaction of its own. */
    boolean completesItself() {
        return completesItself;
    }

    void completingItself() {
        completesItself = true;
    }

    /** Whether the database, rather than the handler, kept it from completing itself. */
    boolean databaseFailed() {
        return databaseFailed;
    }

    void databaseHasFailed() {
        databaseFailed = true;
    }

    void progress(Progress progress) {
        unreported.set(progress);
    }

    /** What the handler said last, unless that is written. */
    Optional<Progress> unreportedProgress() {
        return Optional.ofNullable(unreported.get());
    }

    /** This is written; what the handler has said since is not. */
    void reported(Progress progress) {
        unreported.compareAndSet(progress, null);
    }

    /** An outcome of this claim, with what its handler said last and nobody has written. */
    Outcome withLastProgress(Outcome outcome) {
        return unreportedProgress().map(outcome::withProgress).orElse(outcome);
    }

    boolean isBuffered() {
        return state.get() == State.BUFFERED;
    }

    boolean isRunning() {
        return state.get() == State.RUNNING;
    }

    boolean isLost() {
        return state.get() == State.LOST;
    }

    /** Takes the claim from the buffer to the current thread; false if it ended or was lost meanwhile. */
    synchronized boolean start(long now) {
        // First: whoever sees it running looks at the time.
        startedAt = now;
        if (!state.compareAndSet(State.BUFFERED, State.RUNNING)) {
            return false;
        }
        thread = Thread.currentThread();
        return true;
    }

    /** The handler's thread is done with it: it is not interrupted any more. */
    synchronized void leaveThread() {
        thread = null;
    }

    /** Ends the claim; true for the one caller that may queue its outcome. */
    boolean end() {
        return state.compareAndSet(State.RUNNING, State.ENDED) || state.compareAndSet(State.BUFFERED, State.ENDED);
    }

    /** Ends the claim if its handler was not entered; true for the one caller that may queue its outcome. */
    boolean endUnstarted() {
        return state.compareAndSet(State.BUFFERED, State.ENDED);
    }

    /** Gives the claim up without an outcome. */
    boolean lose() {
        boolean won = state.compareAndSet(State.RUNNING, State.LOST) || state.compareAndSet(State.BUFFERED, State.LOST);
        if (won) {
            stop(StopReason.LOST, 0);
        }
        return won;
    }

    /** Asks the handler to stop and interrupts it. The first reason stands, except that a lost claim overrides. */
    synchronized void stop(StopReason reason, long now) {
        if (stopReason == null || reason == StopReason.LOST) {
            stopReason = reason;
            stoppedAt = now;
        }
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Nullable
    StopReason stopReason() {
        return stopReason;
    }

    long stoppedAt() {
        return stoppedAt;
    }
}
