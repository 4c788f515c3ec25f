package dev.muster.internal.ratelimit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What a node remembers of keys: a bounded number of them, so that a flood of new keys cannot fill its memory. The keys that were used
 * longest ago are forgotten first.
 *
 * @param <V> what is remembered of a key
 */
final class RecentKeys<V> {
    /** Threads that use different keys rarely wait for each other. */
    private static final int PARTS = 64;

    private final Part<V>[] parts;
    private final Function<RateLimitedKey, V> create;

    /** @param most how many keys are remembered, about */
    @SuppressWarnings("unchecked")
    RecentKeys(int most, Function<RateLimitedKey, V> create) {
        this.create = create;
        this.parts = IntStream.range(0, PARTS)
                .mapToObj(i -> new Part<V>(Math.max(1, most / PARTS)))
                .toArray(Part[]::new);
    }

    /** One of the maps; it is its own lock. */
    private static final class Part<V> extends LinkedHashMap<RateLimitedKey, V> {
        private static final long serialVersionUID = 1L;
        private final int most;

        Part(int most) {
            super(16, 0.75f, true);
            this.most = most;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<RateLimitedKey, V> eldest) {
            return size() > most;
        }
    }

    V get(RateLimitedKey key) {
        int hash = key.hashCode();
        Part<V> part = parts[Math.floorMod(hash ^ hash >>> 16, PARTS)];
        synchronized (part) {
            return part.computeIfAbsent(key, create);
        }
    }

    int size() {
        int size = 0;
        for (Part<V> part : parts) {
            synchronized (part) {
                size += part.size();
            }
        }
        return size;
    }
}
