package dev.muster.internal.job.engine;

import dev.muster.internal.runtime.Loop;
import dev.muster.job.DeadLetter;
import dev.muster.job.ExpiredJob;
import dev.muster.job.FailedAttempt;
import dev.muster.job.JobListener;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs each failure with its stack trace: a dead letter as a warning, an attempt that will be retried at debug level. Of equal
 * failures (same event, job name and exception) five are logged within ten seconds, and then a line says how many more there
 * were. If debug lines are off, attempts that will be retried are mentioned once a minute for each job name, without a stack trace. Never throws: a failure that cannot be logged must not affect the worker.
 */
public final class FailureLog implements JobListener {
    /** A separate logger name, so that its level can be set. */
    static final String LOGGER = "dev.muster.job.failures";

    private static final Logger log = LoggerFactory.getLogger(LOGGER);

    static final int LINES = 5;
    static final Duration WINDOW = Duration.ofSeconds(10);
    static final Duration MENTIONED_EVERY = Duration.ofMinutes(1);
    private static final String RETRIED = "failed attempts";
    private static final int MAX_KINDS = 1_000;
    private static final int MAX_ERROR = 500;
    private static final Kind OTHERS = new Kind(Level.WARN, "failures", "(many)", "");

    private final Clock clock;
    private final Map<Kind, Burst> bursts = new ConcurrentHashMap<>();
    private final Loop loop = new Loop("failure-log", this::endBursts);

    /** Identifies equal failures. */
    private record Kind(Level level, String what, String name, String error) {
        /** What passes by itself is mentioned, so that an operator sees it coming; dead letters are what has to be looked at. */
        private boolean isMentionedOnly() {
            return level == Level.INFO && what.equals(RETRIED);
        }

        int lines() {
            return isMentionedOnly() ? 1 : LINES;
        }

        Duration window() {
            return isMentionedOnly() ? MENTIONED_EVERY : WINDOW;
        }
    }

    /** How many failures of a kind were logged, and how many were not, since a time. */
    private static final class Burst {
        private long since;
        private int lines;
        private long heldBack;
    }

    public FailureLog(Clock clock) {
        this.clock = clock;
    }

    /** Starts to report how many failures were not logged. */
    public void start() {
        loop.start();
    }

    /** Reports how many failures were not logged so far, and stops. */
    public void stop() {
        loop.stop();
        bursts.forEach((kind, burst) -> summarise(kind, burst));
    }

    @Override
    public void attemptFailed(FailedAttempt event) {
        if (!log.isDebugEnabled()) {
            write(
                    Level.INFO,
                    RETRIED,
                    event.name(),
                    event.error(),
                    Optional.empty(),
                    (error, failure) -> log.info(
                            "job={} name={} attempt {} of {} failed, tried again in {} ms: {}",
                            event.id(),
                            event.name(),
                            event.attempt(),
                            event.maxAttempts(),
                            event.retryIn().toMillis(),
                            error));
            return;
        }
        write(
                Level.DEBUG,
                RETRIED,
                event.name(),
                event.error(),
                event.failure(),
                (error, failure) -> log.debug(
                        "job={} name={} attempt {} of {} failed, tried again in {} ms: {}",
                        event.id(),
                        event.name(),
                        event.attempt(),
                        event.maxAttempts(),
                        event.retryIn().toMillis(),
                        error,
                        failure));
    }

    @Override
    public void deadLetter(DeadLetter event) {
        write(
                Level.WARN,
                "dead letters",
                event.name(),
                event.error(),
                event.failure(),
                (error, failure) -> log.warn(
                        "job={} name={} is a dead letter: attempt {} of {} on node={} failed, crashes={}: {}",
                        event.id(),
                        event.name(),
                        event.attempt(),
                        event.maxAttempts(),
                        event.node(),
                        event.crashes(),
                        error,
                        failure));
    }

    @Override
    public void expired(ExpiredJob event) {
        write(
                Level.INFO,
                "expired jobs",
                event.name(),
                "",
                Optional.empty(),
                (error, failure) -> log.info(
                        "job={} name={} queue={} expired: nobody claimed it in time",
                        event.id(),
                        event.name(),
                        event.queue()));
    }

    @FunctionalInterface
    private interface Line {
        void write(String error, @Nullable Throwable failure);
    }

    private void write(Level level, String what, String name, String error, Optional<Throwable> failure, Line line) {
        try {
            String type = failure.map(f -> f.getClass().getName()).orElse("");
            if (mayLog(new Kind(level, what, name, type))) {
                writeNow(firstLine(error), failure.orElse(null), line);
            }
        } catch (RuntimeException | Error e) {
            // If logging fails, nothing can be reported.
        }
    }

    private static void writeNow(String error, @Nullable Throwable failure, Line line) {
        try {
            line.write(error, failure);
        } catch (RuntimeException | Error e) {
            // The exception's own message threw.
            line.write(error, null);
        }
    }

    private static String firstLine(String error) {
        String first = error.lines().findFirst().orElse("");
        return first.length() <= MAX_ERROR ? first : first.substring(0, MAX_ERROR) + "…";
    }

    private boolean mayLog(Kind kind) {
        Kind counted = bursts.size() < MAX_KINDS || bursts.containsKey(kind) ? kind : OTHERS;
        boolean[] may = new boolean[1];
        bursts.compute(counted, (k, known) -> {
            long now = clock.nanos();
            Burst burst = known != null ? known : new Burst();
            if (known == null || isOver(k, burst, now)) {
                summarise(k, burst);
                burst.since = now;
                burst.lines = 0;
            }
            may[0] = burst.lines < k.lines();
            if (may[0]) {
                burst.lines++;
            } else {
                burst.heldBack++;
            }
            return burst;
        });
        if (!may[0] || counted == OTHERS) {
            loop.wake();
        }
        return may[0];
    }

    private static boolean isOver(Kind kind, Burst burst, long now) {
        return now - burst.since >= kind.window().toNanos();
    }

    /** Reports how many failures were not logged in the periods that have ended, and returns the time until the next one ends. */
    private Duration endBursts() {
        long now = clock.nanos();
        long next = TimeUnit.MINUTES.toNanos(10);
        Iterator<Kind> kinds = bursts.keySet().iterator();
        while (kinds.hasNext()) {
            long[] left = {Long.MAX_VALUE};
            bursts.computeIfPresent(kinds.next(), (kind, burst) -> {
                if (isOver(kind, burst, now)) {
                    summarise(kind, burst);
                    return null;
                }
                left[0] = burst.since + kind.window().toNanos() - now;
                return burst;
            });
            next = Math.min(next, left[0]);
        }
        return Duration.ofNanos(next);
    }

    private static void summarise(Kind kind, Burst burst) {
        long more = burst.heldBack;
        burst.heldBack = 0;
        if (more == 0) {
            return;
        }
        log.atLevel(kind.level())
                .log(
                        "and {} more {} of name={} {}within {} s are not logged one by one; muster jobs list shows them",
                        String.format(Locale.ROOT, "%,d", more),
                        kind.what(),
                        kind.name(),
                        kind.error().isEmpty() ? "" : "with " + kind.error() + " ",
                        kind.window().toSeconds());
    }
}
