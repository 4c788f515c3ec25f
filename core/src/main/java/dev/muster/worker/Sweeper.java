package dev.muster.worker;

import dev.muster.config.WorkerConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.JobStore;
import dev.muster.job.JobStore.Recovered;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts claims whose lease ran out back in line. A lease that ran out says something about its node only if
 * nodes could renew: so nothing is swept within one lease after this sweeper started, lost the database, or
 * was itself frozen. An outage charges nobody.
 */
final class Sweeper {
    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
    private static final int BATCH = 500;
    private static final long FULL_EVERY_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long HISTORY_EVERY_NANOS = TimeUnit.HOURS.toNanos(1);

    private final JobStore store;
    private final WorkerConfig config;
    private final Consumer<Set<Lane>> returned;
    private final Dependents dependents;
    private final Clock clock;
    private long contactSince;
    private long lastContact;
    private long lastFull;
    private long historyAt;
    private boolean neverSwept = true;

    Sweeper(JobStore store, WorkerConfig config, Consumer<Set<Lane>> returned, Dependents dependents, Clock clock) {
        this.store = store;
        this.config = config;
        this.returned = returned;
        this.dependents = dependents;
        this.clock = clock;
        this.contactSince = clock.nanos();
        this.lastContact = contactSince;
        this.historyAt = contactSince;
    }

    Duration tick() {
        long start = clock.nanos();
        long silence = start - lastContact;
        if (silence > 2 * config.sweepInterval().toNanos() + TimeUnit.SECONDS.toNanos(1)) {
            contactSince = start;
        }
        try {
            prepareHistory(start);
            sweepUnclaimed();
            boolean graceOver = start - contactSince >= config.lease().toNanos();
            if (graceOver) {
                sweep(start);
            }
        } catch (RuntimeException e) {
            // Broken contact: the grace starts again with the first answer.
            contactSince = clock.nanos() + config.sweepInterval().toNanos();
            throw e;
        }
        lastContact = clock.nanos();
        return config.sweepInterval();
    }

    private void prepareHistory(long now) {
        if (now - historyAt >= 0) {
            store.prepareHistory();
            historyAt = now + HISTORY_EVERY_NANOS;
        }
    }

    /** What needs no patience: jobs that nobody holds. */
    private void sweepUnclaimed() {
        List<JobId> expired;
        do {
            expired = store.expire(BATCH);
            dependents.ended(expired);
        } while (expired.size() == BATCH);
        Set<Lane> freed = store.sweepWaiting();
        if (!freed.isEmpty()) {
            returned.accept(freed);
        }
    }

    private void sweep(long now) {
        boolean everything = neverSwept || now - lastFull >= FULL_EVERY_NANOS;
        List<Recovered> recovered;
        do {
            recovered = store.recoverExpired(BATCH, everything);
            recovered.forEach(Sweeper::report);
            Set<Lane> lanes = recovered.stream()
                    .filter(r -> r.status() == JobStatus.PENDING)
                    .map(Recovered::lane)
                    .collect(Collectors.toSet());
            if (!lanes.isEmpty()) {
                returned.accept(lanes);
            }
            dependents.ended(recovered.stream()
                    .filter(r -> r.status().isTerminal())
                    .map(Recovered::id)
                    .toList());
        } while (recovered.size() == BATCH);
        neverSwept = false;
        if (everything) {
            lastFull = now;
        }
    }

    private static void report(Recovered job) {
        log.warn(
                "job={} name={} taken from node={} lease_expired_ms_ago={} crash={} now={}",
                job.id(),
                job.name(),
                job.node(),
                job.leaseAge().toMillis(),
                job.crash(),
                job.status().text());
    }
}
