package dev.muster.gateway.internal;

import dev.muster.Admin;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The header that says how old what was read may be, if {@code database.read_url} is set. The server is asked every few seconds. */
final class ReplicaLag {
    static final String HEADER = "X-Muster-Replica-Lag-Ms";
    private static final long RENEW_AFTER = Duration.ofSeconds(5).toNanos();

    private final boolean reads;
    private final Supplier<Admin> admin;
    private final Clock clock;
    private final ReentrantLock asking = new ReentrantLock();
    private volatile Reading last;

    private record Reading(Optional<Duration> lag, long at) {}

    /** @param reads whether {@code database.read_url} is set */
    ReplicaLag(boolean reads, Supplier<Admin> admin, Clock clock) {
        this.reads = reads;
        this.admin = admin;
        this.clock = clock;
        this.last = new Reading(Optional.empty(), clock.nanos() - RENEW_AFTER);
    }

    /** The header; none if nothing is read elsewhere, or the server cannot tell. */
    Map<String, String> header() {
        if (!reads) {
            return Map.of();
        }
        if (clock.nanos() - last.at() >= RENEW_AFTER && asking.tryLock()) {
            try {
                last = new Reading(lag(), clock.nanos());
            } finally {
                asking.unlock();
            }
        }
        return last.lag()
                .map(lag -> Map.of(HEADER, String.valueOf(lag.toMillis())))
                .orElse(Map.of());
    }

    private Optional<Duration> lag() {
        try {
            return admin.get().replicaLag();
        } catch (MusterException e) {
            // The request itself says what is wrong with the server.
            return Optional.empty();
        }
    }
}
