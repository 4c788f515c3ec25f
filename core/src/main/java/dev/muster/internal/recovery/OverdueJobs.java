package dev.muster.internal.recovery;

import dev.muster.internal.cluster.DatabaseContact;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.RecoveryStore;
import dev.muster.internal.job.store.RecoveryStore.Overdue;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.runtime.LoopService;
import dev.muster.job.ExpiredJob;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends jobs that no node claimed in time, frees waiting jobs whose parents' end was missed, and searches for leases where none
 * should be left. It has its own thread, because each task may take long while an open transaction somewhere keeps dead tuples
 * from being removed. A search that took long is repeated less often.
 */
final class OverdueJobs extends LoopService {
    private static final Logger log = LoggerFactory.getLogger(OverdueJobs.class);
    private static final int CHUNK = 500;

    /** How often an off-duty node checks whether it is on duty now. The check needs no statement. */
    private static final Duration OFF_DUTY = Duration.ofMillis(250);

    private static final long SEARCH_JOBS_EVERY = TimeUnit.SECONDS.toNanos(60);
    private static final long SEARCH_LEASES_EVERY = TimeUnit.MINUTES.toNanos(5);
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(10);

    private final RecoveryStore jobs;
    private final DependencyStore dependencies;
    private final LeaderOrStandIn leaderOrStandIn;
    private final DatabaseContact contact;
    private final RecoveredJobs recoveredJobs;
    private final Clock clock;
    private final Task expiry;
    private final Task waiting;
    private final Task search;
    private final Task leases;

    /** Until when leases count, by the database's clock: their holders have had time to renew them. Null if they do not. */
    private volatile @Nullable Instant leasesCountUntil;

    /** @param contact while it is broken no statement is sent, because a thread that waits for a connection cannot be stopped */
    OverdueJobs(
            RecoveryStore jobs,
            DependencyStore dependencies,
            LeaderOrStandIn leaderOrStandIn,
            DatabaseContact contact,
            RecoveredJobs recoveredJobs,
            Clock clock) {
        super("overdue-jobs");
        this.jobs = jobs;
        this.dependencies = dependencies;
        this.leaderOrStandIn = leaderOrStandIn;
        this.contact = contact;
        this.recoveredJobs = recoveredJobs;
        this.clock = clock;
        this.expiry = new Task("expiry", 4, 0, () -> expire(false));
        this.waiting = new Task("waiting jobs", 4, 0, this::sweepWaiting);
        this.search = new Task("search for overdue jobs", 20, SEARCH_JOBS_EVERY, this::searchJobs);
        this.leases = new Task("search for leases", 20, SEARCH_LEASES_EVERY, this::searchLeases);
    }

    /**
     * Reports what there is to do.
     *
     * @param expired whether a job was not claimed in time
     * @param someWait whether a job waits for others
     * @param leasesCountUntil until when leases count, by the database's clock, because their holders have had time to renew them; empty
     *     if they do not
     */
    void due(boolean expired, boolean someWait, Optional<Instant> leasesCountUntil) {
        expiry.wanted |= expired;
        waiting.wanted |= someWait;
        this.leasesCountUntil = leasesCountUntil.orElse(null);
        if (expired || someWait || leasesCountUntil.isPresent()) {
            loop().wake();
        }
    }

    @Override
    protected Duration step() {
        if (leaderOrStandIn.isMine() && contact.isUnbroken()) {
            try {
                search.doIfDue(true);
                expiry.doIfDue(expiry.wanted);
                waiting.doIfDue(waiting.wanted);
                leases.doIfDue(leasesCountUntil != null);
            } catch (StaleLeader e) {
                log.debug("the duty went to another node", e);
            }
        }
        return OFF_DUTY;
    }

    /** A task that pauses for {@code share} times as long as it ran, so that it never takes more than a share of the time. */
    private final class Task {
        private final String what;
        private final long share;
        private final long period;
        private final Runnable action;
        private long notBefore = clock.nanos();
        volatile boolean wanted;

        Task(String what, long share, long period, Runnable action) {
            this.what = what;
            this.share = share;
            this.period = period;
            this.action = action;
        }

        /** A task that fails must not prevent the other tasks. */
        void doIfDue(boolean condition) {
            long start = clock.nanos();
            if (!condition || start - notBefore < 0) {
                return;
            }
            wanted = false;
            try {
                action.run();
            } catch (StaleLeader | DatabaseUnavailable e) {
                throw e;
            } catch (MusterException e) {
                log.warn("duty={} failed, will be tried again: {}", what, e.getMessage());
            } finally {
                long now = clock.nanos();
                notBefore = now + Math.max(period, Math.min((now - start) * share, LONGEST_PAUSE));
            }
        }
    }

    private void searchJobs() {
        Overdue found = jobs.searchOverdue();
        if (found.expired()) {
            expire(true);
            // Only a search that finds nothing moves the position from which the next search starts.
            found = jobs.searchOverdue();
        }
        waiting.wanted |= found.waiting();
    }

    private void expire(boolean everything) {
        List<ExpiredJob> expired;
        do {
            expired = leaderOrStandIn.run(tx -> jobs.expire(tx, CHUNK, everything));
            recoveredJobs.expired(expired);
        } while (expired.size() == CHUNK);
    }

    private void sweepWaiting() {
        recoveredJobs.freed(leaderOrStandIn.run(dependencies::sweepWaiting));
    }

    private void searchLeases() {
        Instant endedBefore = leasesCountUntil;
        if (endedBefore == null) {
            return;
        }
        List<Recovered> recovered;
        do {
            recovered = leaderOrStandIn.run(tx -> jobs.recoverExpired(tx, endedBefore, CHUNK, true));
            recoveredJobs.takenBack(recovered);
        } while (recovered.size() >= CHUNK);
    }
}
