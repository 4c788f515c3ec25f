package dev.muster.bench;

import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Site;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Jobs run at a site until all are done, or until the time is up. A job that was run again, as everybody here reserves the
 * right to do, counts once.
 */
final class Run {
    private static final Duration AT_MOST = Duration.ofSeconds(60);
    private static final int CHUNK = 500;

    private Run() {}

    /** Jobs done, and the time that took, to the last commit. */
    record Tally(long done, long nanos) {
        double perSecond() {
            return done * 1e9 / nanos;
        }
    }

    /** Works off a backlog; timed from the first start. */
    static Tally backlog(Site site, int jobs) throws Exception {
        require("jobs enqueued", site.left(), jobs);
        Handled handled = new Handled(jobs);
        Site.Work work = site.start(handled);
        try {
            if (!handled.await(AT_MOST)) {
                return cutShort(handled, handled.nanosSinceFirst());
            }
            awaitNothingLeft(site);
            Tally tally = new Tally(jobs, handled.nanosSinceFirst());
            require("jobs with a wrong result", site.wrong(), 0);
            return tally;
        } finally {
            work.close();
        }
    }

    /** Takes jobs in and works them off at the same time; timed from the first enqueue. */
    static Tally sustained(Site site, int first, int jobs) throws Exception {
        require("jobs left before", site.left(), 0);
        Handled handled = new Handled(jobs);
        Site.Work work = site.start(handled);
        try {
            long begin = System.nanoTime();
            Crew.enqueue(site, first, jobs, Math.min(CHUNK, Math.max(1, jobs / 4)), 2);
            if (!handled.await(AT_MOST)) {
                return cutShort(handled, System.nanoTime() - begin);
            }
            awaitNothingLeft(site);
            return new Tally(jobs, System.nanoTime() - begin);
        } finally {
            work.close();
        }
    }

    private static Tally cutShort(Handled handled, long nanos) {
        long done = handled.count();
        if (done == 0) {
            throw new IllegalStateException("no job was run within " + AT_MOST.toSeconds() + " s");
        }
        return new Tally(done, nanos);
    }

    /** The last handlers have begun; their outcomes are still to be written. */
    static void awaitNothingLeft(Site site) throws Exception {
        long deadline = System.nanoTime() + AT_MOST.toNanos();
        while (site.left() > 0) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IllegalStateException(site.left() + " jobs were begun and not finished");
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    /** A measurement that lost a job is worth nothing. */
    private static void require(String what, long found, long expected) {
        if (found != expected) {
            throw new IllegalStateException(what + ": expected " + expected + ", found " + found);
        }
    }
}
