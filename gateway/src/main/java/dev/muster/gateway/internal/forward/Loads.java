package dev.muster.gateway.internal.forward;

import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;

/** Which node gets the next call: how many calls of this gateway each node runs, and which ones did not take a call lately. Thread-safe. */
final class Loads {
    private static final Duration AVOIDED = Duration.ofSeconds(5);

    private final Clock clock;
    private final ConcurrentMap<String, Integer> calls = new ConcurrentHashMap<>();
    private final Map<String, Long> avoidedUntil = new ConcurrentHashMap<>();

    Loads(Clock clock) {
        this.clock = clock;
    }

    void began(String node) {
        calls.merge(node, 1, Integer::sum);
    }

    void ended(String node) {
        calls.computeIfPresent(node, (id, count) -> count == 1 ? null : count - 1);
    }

    int callsOn(String node) {
        return calls.getOrDefault(node, 0);
    }

    /** The node did not take a call. */
    void avoid(String node) {
        avoidedUntil.put(node, clock.nanos() + AVOIDED.toNanos());
    }

    void tookACall(String node) {
        avoidedUntil.remove(node);
    }

    /**
     * The better of two random ones: the one with fewer calls of this gateway and jobs of its own. Those that did not take a call lately come
     * last.
     *
     * @param candidates at least one
     */
    Candidate choose(List<Candidate> candidates) {
        List<Candidate> preferred =
                candidates.stream().filter(one -> !isAvoided(one.id())).toList();
        List<Candidate> from = preferred.isEmpty() ? candidates : preferred;
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int first = random.nextInt(from.size());
        if (from.size() == 1) {
            return from.get(first);
        }
        int second = (first + 1 + random.nextInt(from.size() - 1)) % from.size();
        return load(from.get(first)) <= load(from.get(second)) ? from.get(first) : from.get(second);
    }

    private long load(Candidate candidate) {
        return (long) callsOn(candidate.id()) + candidate.jobs();
    }

    private boolean isAvoided(String node) {
        Long until = avoidedUntil.get(node);
        if (until != null && clock.nanos() - until >= 0) {
            avoidedUntil.remove(node, until);
            return false;
        }
        return until != null;
    }
}
