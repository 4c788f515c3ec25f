package dev.muster.postgres.internal.admission;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Concurrency groups to which this process could not admit: somebody holds a lock, or it takes too long. Each of them is tried by itself, less and less
 * often, so that it costs the others little.
 */
final class FailedGroups {
    private static final int MOST = 1_000;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

    private final Clock clock;
    private final Map<String, Failure> failures = new ConcurrentHashMap<>();

    private record Failure(Duration pause, long until) {}

    FailedGroups(Clock clock) {
        this.clock = clock;
    }

    /** It failed in a call of its own. Returns when to try it again. */
    Duration failed(String group) {
        Failure before = failures.get(group);
        Duration doubled = before == null ? FIRST_PAUSE : before.pause().multipliedBy(2);
        Duration pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        if (before != null || failures.size() < MOST) {
            failures.put(group, new Failure(pause, clock.nanos() + pause.toNanos()));
        }
        return pause;
    }

    void succeeded(Collection<String> groups) {
        if (!failures.isEmpty()) {
            groups.forEach(failures::remove);
        }
    }

    /** Whether it failed a moment ago and is tried again later. */
    boolean waits(String group) {
        Failure last = failures.get(group);
        return last != null && clock.nanos() - last.until() < 0;
    }
}
