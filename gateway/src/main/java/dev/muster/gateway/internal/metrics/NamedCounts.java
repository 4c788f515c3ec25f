package dev.muster.gateway.internal.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The counts of each cron, daemon or role. Thread-safe. Names after the first {@value JobTable#MOST} share one entry. */
final class NamedCounts<V> {
    private final Map<String, V> byName = new ConcurrentHashMap<>();
    private final Supplier<V> create;

    NamedCounts(Supplier<V> create) {
        this.create = create;
    }

    V of(String name) {
        V known = byName.get(name);
        return known != null ? known : add(name);
    }

    private synchronized V add(String name) {
        String key = byName.size() < JobTable.MOST ? name : JobTable.OTHER;
        return byName.computeIfAbsent(byName.containsKey(name) ? name : key, one -> create.get());
    }

    void forEach(BiConsumer<String, V> reader) {
        byName.forEach(reader);
    }
}
