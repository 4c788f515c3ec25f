package dev.muster.cluster;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * For how long this node has been in touch with the database. Another's silence says something about it only if it could
 * have been heard: so nobody is judged within a grace after this node started, was frozen itself, or lost the database,
 * nor after an outage before the slowest has had time to come back. An outage kills nobody and charges nobody.
 */
public final class Contact {
    /** Whoever waits this long for an answer has waited for the database to come back. */
    private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** However short the leases: an answer within this time says nothing about the database. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Connection pools look for a lost database only every 5 s or so: nodes come back one after the other. */
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Clock clock;
    private final long lease;
    private long since;
    private long last;
    private long grace;
    private boolean outage;

    /** @param lease how long the others may hold on to a claim without the database */
    public Contact(Clock clock, Duration lease) {
        this.clock = clock;
        this.lease = lease.toNanos();
        this.since = clock.nanos();
        this.last = since;
        this.grace = this.lease;
    }

    /**
     * The database has answered.
     *
     * @param asked when it was asked
     * @param every how often it is asked: far more since the last time means that this node stood still
     */
    public synchronized void answered(long asked, Duration every) {
        long now = clock.nanos();
        boolean gap = asked - last > 2 * every.toNanos() + TimeUnit.SECONDS.toNanos(1)
                || now - asked > Math.max(lease / 3, SLOW_NANOS);
        outage |= now - asked > OUTAGE_NANOS;
        if (outage || gap) {
            begin(now, outage ? Math.max(lease, RECONNECT_NANOS) : lease);
        }
        last = now;
    }

    /** The database did not answer, or the connection to it broke. */
    public synchronized void lost() {
        outage = true;
    }

    /**
     * This node has asked for so long only now and then that an outage may have passed unseen: it listens for a moment
     * before it judges.
     */
    public synchronized void listenFor(Duration moment) {
        long now = clock.nanos();
        if (untilJudgement(now) < moment.toNanos()) {
            begin(now, moment.toNanos());
            last = now;
        }
    }

    private void begin(long now, long patience) {
        since = now;
        grace = patience;
        outage = false;
    }

    /** How long ago the database last answered. */
    public synchronized Duration age() {
        return Duration.ofNanos(clock.nanos() - last);
    }

    /** How long it takes until others may be judged; zero: they may. */
    public synchronized Duration untilJudgement() {
        return outage ? Duration.ofNanos(lease) : Duration.ofNanos(Math.max(0, untilJudgement(last)));
    }

    private long untilJudgement(long now) {
        return since + grace - now;
    }
}
