package dev.muster.internal.access;

import dev.muster.internal.access.ApiKeyStore.StoredKey;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the database has said about ids of keys, for as long as that may be believed. */
final class RememberedKeys {
    private static final Duration KNOWN = Duration.ofSeconds(5);
    private static final Duration UNKNOWN = Duration.ofSeconds(1);
    static final int MAX_UNKNOWN = 10_000;

    private final Clock clock;

    /** Keys that exist; nobody outside can add to them. */
    private final Map<String, Answer> known = new LinkedHashMap<>();

    /** Ids that no live key has, the oldest first; anybody can add to them. */
    private final Map<String, Answer> unknown = new LinkedHashMap<>();

    private long generation;

    /** @param until the moment of the node's clock from which on it must not be believed */
    private record Answer(Optional<StoredKey> key, long until) {}

    RememberedKeys(Clock clock) {
        this.clock = clock;
    }

    /** Null if nothing is remembered. */
    synchronized @Nullable Optional<StoredKey> get(String id) {
        long now = clock.nanos();
        Answer answer = known.getOrDefault(id, unknown.get(id));
        return answer == null || answer.until - now <= 0 ? null : answer.key;
    }

    /** Changes whenever all is forgotten. */
    synchronized long generation() {
        return generation;
    }

    /**
     * Remembers an answer, unless all was forgotten meanwhile.
     *
     * @param asked when the database was asked
     * @param atGeneration the generation at that time
     */
    synchronized void put(String id, Optional<StoredKey> key, long asked, long atGeneration) {
        if (generation != atGeneration) {
            return;
        }
        known.remove(id);
        unknown.remove(id);
        removeOld(known);
        removeOld(unknown);
        if (key.isPresent()) {
            known.put(id, new Answer(key, asked + believed(key.get()).toNanos()));
        } else {
            if (unknown.size() >= MAX_UNKNOWN) {
                removeFirst(unknown);
            }
            unknown.put(id, new Answer(key, asked + UNKNOWN.toNanos()));
        }
    }

    /**
     * A key that is about to expire is believed a thousandth and one millisecond less, because the two clocks need not run at the same speed.
     * After that the database decides again.
     */
    private static Duration believed(StoredKey key) {
        return key.left()
                .filter(left -> left.compareTo(KNOWN.multipliedBy(2)) < 0)
                .map(left -> left.minus(left.dividedBy(1_000)).minusMillis(1))
                .filter(left -> left.compareTo(KNOWN) < 0)
                .orElse(KNOWN);
    }

    /** Answers are in the order of their questions, so the old ones are at the beginning; one that expires early may stay longer. */
    private void removeOld(Map<String, Answer> answers) {
        long now = clock.nanos();
        Iterator<Answer> oldest = answers.values().iterator();
        while (oldest.hasNext() && oldest.next().until - now <= 0) {
            oldest.remove();
        }
    }

    private static void removeFirst(Map<String, Answer> answers) {
        Iterator<Answer> oldest = answers.values().iterator();
        oldest.next();
        oldest.remove();
    }

    synchronized void clear() {
        generation++;
        known.clear();
        unknown.clear();
    }

    /** How many ids are remembered. */
    synchronized int size() {
        return known.size() + unknown.size();
    }
}
