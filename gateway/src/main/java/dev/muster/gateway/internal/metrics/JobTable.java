package dev.muster.gateway.internal.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The counts of each pair of job name and queue. Thread-safe. Each event looks a pair up, so this needs no lock and no key object
 * once the pair is known. The number of pairs is bounded: whatever comes after the first {@value #MOST} shares one pair.
 */
final class JobTable {
    static final int MOST = 1_000;

    /** The name and the queue of the pair that the rest shares; a job that is really called so has the same counts. */
    static final String OTHER = "other";

    private final Map<String, Map<String, JobCounts>> byName = new ConcurrentHashMap<>();
    private int size;

    /** Set when the table is full, which it stays. */
    private volatile @Nullable JobCounts rest;

    JobCounts of(String name, String queue) {
        Map<String, JobCounts> byQueue = byName.get(name);
        JobCounts known = byQueue == null ? null : byQueue.get(queue);
        if (known != null) {
            return known;
        }
        JobCounts shared = rest;
        return shared != null ? shared : add(name, queue);
    }

    private synchronized JobCounts add(String name, String queue) {
        if (size < MOST) {
            return put(name, queue);
        }
        JobCounts shared = put(OTHER, OTHER);
        rest = shared;
        // Another thread may have added the pair meanwhile.
        JobCounts known = byName.getOrDefault(name, Map.of()).get(queue);
        return known != null ? known : shared;
    }

    private JobCounts put(String name, String queue) {
        return byName.computeIfAbsent(name, key -> new ConcurrentHashMap<>()).computeIfAbsent(queue, key -> {
            size++;
            return new JobCounts();
        });
    }

    void write(Samples samples) {
        byName.forEach((name, byQueue) -> byQueue.forEach((queue, counts) -> counts.write(samples, name, queue)));
    }
}
