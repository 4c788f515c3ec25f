package dev.muster.gateway.internal;

import dev.muster.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** What there is in a cluster, by kind: ids and names that requests can be about. The newest ones are kept. */
final class Things {
    /** The id of what is nowhere. */
    static final String NOBODY = "01900000-0000-7000-8000-000000000000";

    private static final int KEPT = 50;

    private final Map<String, List<String>> known = new ConcurrentHashMap<>();

    void add(String kind, String name) {
        List<String> names = known.computeIfAbsent(kind, one -> new ArrayList<>());
        synchronized (names) {
            names.add(name);
            if (names.size() > KEPT) {
                names.remove(0);
            }
        }
    }

    /** One of this kind, now and then one that is nowhere. */
    String any(Random random, String kind) {
        List<String> names = known.getOrDefault(kind, List.of());
        synchronized (names) {
            return names.isEmpty() || random.nextInt(20) == 0
                    ? unknown(random)
                    : names.get(random.nextInt(names.size()));
        }
    }

    private static String unknown(Random random) {
        return random.nextBoolean() ? NOBODY : JobId.next().toString();
    }
}
