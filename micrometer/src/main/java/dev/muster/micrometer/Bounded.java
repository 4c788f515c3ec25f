package dev.muster.micrometer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The meters of each name. Thread-safe. Names after the first {@value #MOST} share those of {@value #OTHER}. */
final class Bounded<V> {
    static final int MOST = 1_000;
    static final String OTHER = "other";

    private final Map<String, V> byName = new ConcurrentHashMap<>();
    private final Function<String, V> create;

    /** @param create makes the meters of a name */
    Bounded(Function<String, V> create) {
        this.create = create;
    }

    V of(String name) {
        V known = byName.get(name);
        return known != null ? known : add(name);
    }

    private synchronized V add(String name) {
        boolean fits = byName.size() < MOST || byName.containsKey(name);
        return byName.computeIfAbsent(fits ? name : OTHER, create);
    }
}
