package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The lanes that may have due jobs now, and the lanes that will have some at a known time. Claims ask only the former: with a
 * queue for each of thousands of tenants, most lanes are not due. Guarded by its {@link ClaimCursors}.
 */
public final class DueLanes {
    static final long NEVER = Long.MAX_VALUE;

    /** Further lanes are left to later probes. */
    private static final int MAX_LANES = 10_000;

    private final Set<Lane> now = new HashSet<>();
    private final Map<Lane, Long> later = new HashMap<>();
    private long earliest = NEVER;

    /** Lanes that may have jobs and that other nodes ask first. */
    private final Map<Lane, Turn> turns = new HashMap<>();

    /**
     * When it is this node's turn to ask a lane.
     *
     * @param wake the number of the wake-up
     */
    private record Turn(long micros, int wake) {
        Turn and(Turn other) {
            return new Turn(Math.min(micros, other.micros), Math.max(wake, other.wake));
        }
    }

    /** When the first job may become due that is not known: of a lane that was not remembered, or further away than a probe searches. */
    private long beyond = NEVER;

    /** There may be jobs in this lane. Returns false if there are too many lanes. */
    boolean add(Lane lane) {
        later.remove(lane);
        turns.remove(lane);
        return now.contains(lane) || now.size() < MAX_LANES && now.add(lane);
    }

    /** This lane will have jobs at this time of the server's clock. */
    void addLater(Lane lane, long micros) {
        if (!now.contains(lane)) {
            later.merge(lane, micros, Math::min);
            earliest = Math.min(earliest, micros);
        }
    }

    /** This lane may have jobs, and it is this node's turn to ask it at this time of the server's clock. */
    void addTurn(Lane lane, long micros, int wake) {
        turns.merge(lane, new Turn(micros, wake), Turn::and);
    }

    /** Removes and returns the lanes whose turn has come, except those of wake-ups up to this one. */
    List<Lane> takeTurns(long micros, int after) {
        List<Lane> due = new ArrayList<>();
        turns.forEach((lane, turn) -> {
            if (turn.micros() <= micros && turn.wake() > after) {
                due.add(lane);
            }
        });
        due.forEach(turns::remove);
        return due;
    }

    /** Forgets the turns of wake-ups up to this one. */
    void forgetTurns(int upTo) {
        turns.values().removeIf(turn -> turn.wake() <= upTo);
    }

    /** When the next turn comes, except those of wake-ups up to this one. */
    long nextTurn(int after) {
        return turns.values().stream()
                .filter(turn -> turn.wake() > after)
                .mapToLong(Turn::micros)
                .min()
                .orElse(NEVER);
    }

    /** At this time of the server's clock there may be jobs that are not known. */
    void beyond(long micros) {
        beyond = Math.min(beyond, micros);
    }

    /** Whether it is time to probe for jobs that are not known; true once. */
    boolean isBeyondDue(long micros) {
        boolean due = beyond <= micros;
        if (due) {
            beyond = NEVER;
        }
        return due;
    }

    /** This lane has no jobs. */
    void forget(Lane lane) {
        now.remove(lane);
    }

    /** Forgets the lanes that will have jobs later. */
    void forgetLater() {
        later.clear();
        earliest = NEVER;
        beyond = NEVER;
    }

    /** The lanes that may have due jobs now. */
    Set<Lane> now() {
        return now;
    }

    /** Removes and returns the lanes whose time has come. */
    List<Lane> takeDue(long micros) {
        if (earliest > micros) {
            return List.of();
        }
        List<Lane> due = new ArrayList<>();
        later.forEach((lane, time) -> {
            if (time <= micros) {
                due.add(lane);
            }
        });
        due.forEach(later::remove);
        earliest = later.values().stream().mapToLong(Long::longValue).min().orElse(NEVER);
        return due;
    }

    /** When the next lane becomes due, or when it is time to probe for jobs that are not known. */
    long next() {
        return Math.min(earliest, beyond);
    }

    /** Forgets the times that are furthest away if there are too many; later probes find them again. */
    void trim() {
        if (later.size() > MAX_LANES) {
            List<Map.Entry<Lane, Long>> nearest = later.entrySet().stream()
                    .sorted(Map.Entry.comparingByValue())
                    .limit(MAX_LANES)
                    .toList();
            beyond(nearest.get(nearest.size() - 1).getValue());
            Map<Lane, Long> kept = new HashMap<>();
            nearest.forEach(entry -> kept.put(entry.getKey(), entry.getValue()));
            later.clear();
            later.putAll(kept);
        }
    }

    /** The lanes in the order of their turns. */
    static List<Lane> inTurn(Collection<Lane> lanes, int turn) {
        List<Lane> sorted = new ArrayList<>(lanes);
        sorted.sort(Comparator.comparing(Lane::queue).thenComparing(Lane::capability));
        if (!sorted.isEmpty()) {
            Collections.rotate(sorted, turn % sorted.size());
        }
        return sorted;
    }
}
