package dev.muster.postgres;

import dev.muster.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether the database is busy enough with other nodes. Two exchanges of a node at once keep it busy while one of
 * them waits for a commit; where several nodes claim and their exchanges take their time, the others see to that, and a
 * second exchange of each only makes all of them wait for each other (four nodes on two cores: a third more jobs/s with
 * one exchange each).
 *
 * <p>All tokens come from one sequence, so what it advanced by between two claims of a node is what all have claimed.
 */
final class Crowd {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Of all claims; two nodes are no crowd. */
    private static final double SMALL_SHARE = 0.4;

    private static final double LARGE_SHARE = 0.55;

    /** A processor of the server's own takes about a third of that for a job. */
    private static final double SLOW_NANOS_PER_JOB = TimeUnit.MICROSECONDS.toNanos(150);

    private static final double FAST_NANOS_PER_JOB = TimeUnit.MICROSECONDS.toNanos(60);

    /** With smaller ones, what takes long is waiting for the commit or the network, not for a processor. */
    private static final int LARGE_EXCHANGE = 200;

    private final Clock clock;
    private long begun;
    private long firstToken = -1;
    private long lastToken;
    private long claims;
    private long jobs;
    private int exchanges;
    private long nanos;
    private boolean crowded;

    Crowd(Clock clock) {
        this.clock = clock;
        this.begun = clock.nanos();
    }

    synchronized boolean isCrowded() {
        return crowded;
    }

    /**
     * Records an exchange.
     *
     * @param token the greatest that it drew, if it drew any
     * @param drawn how many it drew
     * @param handled jobs that it claimed or ended, whichever are more
     */
    synchronized void exchanged(long token, int drawn, int handled, long took) {
        if (drawn > 0) {
            if (firstToken < 0 || token < firstToken) {
                restart(token);
            } else {
                claims += drawn;
                lastToken = Math.max(lastToken, token);
            }
        }
        exchanges++;
        jobs += handled;
        nanos += took;
        if (clock.nanos() - begun >= WINDOW_NANOS && jobs > 0 && lastToken > firstToken) {
            double share = (double) claims / (lastToken - firstToken);
            double each = (double) nanos / jobs;
            crowded = jobs >= (long) LARGE_EXCHANGE * exchanges
                    && (crowded
                            ? share < LARGE_SHARE && each > FAST_NANOS_PER_JOB
                            : share < SMALL_SHARE && each > SLOW_NANOS_PER_JOB);
            restart(lastToken);
        }
    }

    private void restart(long token) {
        begun = clock.nanos();
        firstToken = token;
        lastToken = token;
        claims = 0;
        jobs = 0;
        exchanges = 0;
        nanos = 0;
    }
}
