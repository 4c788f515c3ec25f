package dev.muster.internal.worker;

import dev.muster.internal.attempt.Attempt;
import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.Durations;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInfo.Progress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A claim that this node holds, with its state; see the package description. */
final class OpenClaim implements Attempt {
    private enum State {
        BUFFERED,
        RUNNING,
        ENDED,
        LOST
    }

    private final ClaimedJob job;
    private final JobHandler handler;
    private final NodeExecutor executor;
    private final JobRetries retries;
    private final long claimedAt;
    private final long timeoutNanos;
    private final AtomicReference<State> state = new AtomicReference<>(State.BUFFERED);
    private volatile long leaseEnd;
    private volatile long startedAt;
    private volatile long stoppedAt;
    private volatile boolean shownRunning;
    private volatile boolean entered;
    private volatile boolean completesItself;
    private volatile boolean databaseFailed;
    private volatile @Nullable StopReason stopReason;
    private volatile boolean givenUp;
    private final AtomicReference<@Nullable Progress> unreported = new AtomicReference<>();
    private @Nullable Thread thread;
    private @Nullable Long unwrittenSince;

    OpenClaim(
            ClaimedJob job,
            JobHandler handler,
            NodeExecutor executor,
            long claimedAt,
            Duration lease,
            Duration defaultTimeout) {
        this.job = job;
        this.handler = handler;
        this.executor = executor;
        this.retries = JobRetries.of(handler.retry(), job.maxAttempts(), job.maxCrashes());
        this.claimedAt = claimedAt;
        this.leaseEnd = claimedAt + lease.toNanos();
        Duration own = job.timeout() != null ? job.timeout() : handler.timeout();
        this.timeoutNanos = Durations.nanos(own != null ? own : defaultTimeout);
    }

    @Override
    public ClaimedJob job() {
        return job;
    }

    /** The executor that runs the job. */
    NodeExecutor executor() {
        return executor;
    }

    /** How many characters of args and metadata came with the claim. */
    int characters() {
        return length(job.args()) + length(job.metadata());
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    ClaimRef ref() {
        return job.claim();
    }

    @Override
    public JobHandler handler() {
        return handler;
    }

    @Override
    public JobRetries retries() {
        return retries;
    }

    /** Whether {@code running} must be committed before the handler is entered. */
    boolean startsOnRecord() {
        return job.suspect() || retries.runsOnce();
    }

    /** What is written when the claim is marked as running. */
    Start asStart(long agoMillis) {
        return new Start(ref(), retries.maxAttempts(), retries.maxCrashes(), agoMillis);
    }

    long claimedAt() {
        return claimedAt;
    }

    long leaseEnd() {
        return leaseEnd;
    }

    void renewed(long newLeaseEnd, long now) {
        leaseEnd = newLeaseEnd;
        if (unwrittenSince == null && state.get() == State.ENDED) {
            unwrittenSince = now;
        }
    }

    /**
     * For how long the outcome has waited to be written, counted from the first renewal in that time; zero before that. Only the
     * renewing thread uses it.
     */
    long unwrittenNanos(long now) {
        return unwrittenSince == null ? 0 : now - unwrittenSince;
    }

    /** Whether the claim is RUNNING although no thread runs it any more, because its thread could not report an outcome. */
    synchronized boolean isAbandoned() {
        return isRunning() && thread == null && !completesItself;
    }

    @Override
    public long startedAt() {
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

    /** Whether the handler was called, or is about to be. */
    boolean entered() {
        return entered;
    }

    void entering() {
        entered = true;
    }

    /** Whether the handler has put the outcome into its own transaction with {@code completeIn}. */
    boolean completesItself() {
        return completesItself;
    }

    void completingItself() {
        completesItself = true;
    }

    /** Whether {@code completeIn} failed because of the database and not because of the handler. */
    boolean databaseFailed() {
        return databaseFailed;
    }

    void databaseHasFailed() {
        databaseFailed = true;
    }

    void progress(Progress progress) {
        unreported.set(progress);
    }

    /** The last progress of the handler, unless it is written already. */
    Optional<Progress> unreportedProgress() {
        return Optional.ofNullable(unreported.get());
    }

    /** This progress was written; a later one is not. */
    void reported(Progress progress) {
        unreported.compareAndSet(progress, null);
    }

    /** An outcome of this claim with the last progress, if that is not written yet. */
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

    /** Starts the claim on the current thread; false if it was ended or lost meanwhile. */
    synchronized boolean start(long now) {
        // Set before the state, because a thread that sees RUNNING reads the time.
        startedAt = now;
        if (!state.compareAndSet(State.BUFFERED, State.RUNNING)) {
            return false;
        }
        thread = Thread.currentThread();
        return true;
    }

    /** The handler's thread has finished with the claim and is no longer interrupted for it. */
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

    /** Marks the claim as lost, without an outcome. */
    boolean lose() {
        boolean won = state.compareAndSet(State.RUNNING, State.LOST) || state.compareAndSet(State.BUFFERED, State.LOST);
        if (won) {
            stop(StopReason.LOST, 0);
        }
        return won;
    }

    /** Tells the handler to stop and interrupts it. The first reason is kept, but LOST replaces any other. */
    synchronized void stop(StopReason reason, long now) {
        if (stopReason == null || reason == StopReason.LOST) {
            stopReason = reason;
            stoppedAt = now;
        }
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Interrupts this thread, which runs the claim, if the handler was told to stop. */
    synchronized void interruptAgainIfStopped() {
        if (stopReason != null) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Whether the handler, which has just ended on this thread, was told to stop and consumed the interrupt. Clears the interrupt. Both are
     * read under the lock of {@link #stop}: a stop that comes after the handler has ended leaves its interrupt on this thread.
     *
     * @param leftInterrupted whether the handler had left an interrupt behind that was cleared since
     */
    synchronized boolean consumedStop(boolean leftInterrupted) {
        boolean interrupted = Thread.interrupted() | leftInterrupted;
        return stopReason != null && !interrupted;
    }

    @Nullable
    StopReason stopReason() {
        return stopReason;
    }

    long stoppedAt() {
        return stoppedAt;
    }

    /**
     * Nobody waits any more for the handler to react to its interruption. The claim stays open until it returns, because its job
     * {@linkplain ClaimedJob#keepsPlace() keeps its place}, and what it returns does not count. Only the thread that checks deadlines
     * calls this.
     *
     * @return false if this was known
     */
    boolean giveUpOnHandler() {
        if (givenUp) {
            return false;
        }
        givenUp = true;
        return true;
    }

    boolean handlerGivenUp() {
        return givenUp;
    }
}
