package dev.muster.micrometer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of each pair of job name and queue. Thread-safe. Each event looks a pair up, so this needs no lock and no key object once the
 * pair is known. Whatever comes after the first {@value Bounded#MOST} pairs shares one.
 */
final class JobTable {
    private final Map<String, Map<String, JobMeters>> byName = new ConcurrentHashMap<>();
    private final BiFunction<String, String, JobMeters> create;
    private int size;

    /** Set when the table is full, which it stays. */
    private volatile @Nullable JobMeters rest;

    /** @param create makes the meters of a name and a queue */
    JobTable(BiFunction<String, String, JobMeters> create) {
        this.create = create;
    }

    JobMeters of(String name, String queue) {
        JobMeters known = find(name, queue);
        if (known != null) {
            return known;
        }
        JobMeters shared = rest;
        return shared != null ? shared : add(name, queue);
    }

    private @Nullable JobMeters find(String name, String queue) {
        Map<String, JobMeters> byQueue = byName.get(name);
        return byQueue == null ? null : byQueue.get(queue);
    }

    private synchronized JobMeters add(String name, String queue) {
        JobMeters known = find(name, queue);
        if (known != null) {
            return known;
        }
        if (size >= Bounded.MOST) {
            JobMeters shared = put(Bounded.OTHER, Bounded.OTHER);
            rest = shared;
            return shared;
        }
        return put(name, queue);
    }

    private JobMeters put(String name, String queue) {
        return byName.computeIfAbsent(name, key -> new ConcurrentHashMap<>()).computeIfAbsent(queue, key -> {
            size++;
            return create.apply(name, queue);
        });
    }
}
