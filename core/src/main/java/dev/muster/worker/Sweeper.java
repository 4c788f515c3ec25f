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
 * nodes could renew: so nothing is swept within one lease after this sweeper started or was itself frozen,
 * nor after an outage before the slowest node has had time to come back. An outage charges nobody.
 */
final class Sweeper {
    private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
    private static final int BATCH = 500;

    /** Whoever waits this long for an answer has waited for the database to come back. */
    private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Connection pools look for a lost database only every 5 s or so: nodes come back one after the other. */
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long FULL_EVERY_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final JobStore store;
    private final WorkerConfig config;
    private final Consumer<Set<Lane>> returned;
    private final Dependents dependents;
    private final Clock clock;
    private long contactSince;
    private long lastContact;
    private long graceNanos;
    private boolean outage;
    private long lastFull;
    private boolean neverSwept = true;

    Sweeper(JobStore store, WorkerConfig config, Consumer<Set<Lane>> returned, Dependents dependents, Clock clock) {
        this.store = store;
        this.config = config;
        this.returned = returned;
        this.dependents = dependents;
        this.clock = clock;
        this.contactSince = clock.nanos();
        this.lastContact = contactSince;
        this.graceNanos = config.lease().toNanos();
    }

    Duration tick() {
        try {
            makeContact();
            sweepUnclaimed();
            if (lastContact - contactSince >= graceNanos) {
                sweep(lastContact);
                lastContact = clock.nanos();
            }
        } catch (RuntimeException e) {
            outage = true;
            throw e;
        }
        return config.sweepInterval();
    }

    /**
     * Asks the database for a sign of life before anyone is judged: a sweep that had waited out an outage for
     * its connection would be the first statement after it. The grace starts with the answer.
     */
    private void makeContact() {
        long start = clock.nanos();
        boolean gap = start - lastContact > 2 * config.sweepInterval().toNanos() + TimeUnit.SECONDS.toNanos(1);
        store.inspect(List.of());
        long now = clock.nanos();
        long lease = config.lease().toNanos();
        outage |= now - start > OUTAGE_NANOS;
        gap |= now - start > lease / 3;
        if (outage || gap) {
            contactSince = now;
            graceNanos = outage ? Math.max(lease, RECONNECT_NANOS) : lease;
            outage = false;
        }
        lastContact = now;
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
