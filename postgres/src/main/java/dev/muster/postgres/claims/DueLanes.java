package dev.muster.postgres.claims;

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
 * The lanes that may have work now, and those of which it is known when they will. Claims ask the former only: with a queue
 * for each of thousands of tenants, most of them wait for their time. Guarded by its {@link ClaimCursors}.
 */
public final class DueLanes {
    static final long NEVER = Long.MAX_VALUE;

    /** More lanes than that are left to later looks. */
    private static final int MAX_LANES = 10_000;

    private final Set<Lane> now = new HashSet<>();
    private final Map<Lane, Long> later = new HashMap<>();
    private long earliest = NEVER;

    /** Lanes that may have work and that other nodes ask first. */
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

    /** When the first lane becomes due of which no more is known. */
    private long beyond = NEVER;

    /** There may be work in this lane. False if there are too many. */
    boolean add(Lane lane) {
        later.remove(lane);
        turns.remove(lane);
        return now.contains(lane) || now.size() < MAX_LANES && now.add(lane);
    }

    /** There will be work in this lane at this time of the server's. */
    void addLater(Lane lane, long micros) {
        if (!now.contains(lane)) {
            later.merge(lane, micros, Math::min);
            earliest = Math.min(earliest, micros);
        }
    }

    /** There may be work in this lane, and it is this node's turn to ask it at this time of the server's. */
    void addTurn(Lane lane, long micros, int wake) {
        turns.merge(lane, new Turn(micros, wake), Turn::and);
    }

    /** Takes out those whose turn has come, but for those of wake-ups up to this one. */
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

    /** When the next turn comes, but for those of wake-ups up to this one. */
    long nextTurn(int after) {
        return turns.values().stream()
                .filter(turn -> turn.wake() > after)
                .mapToLong(Turn::micros)
                .min()
                .orElse(NEVER);
    }

    void beyond(long micros) {
        beyond = Math.min(beyond, micros);
    }

    /** Whether it is time to look for those of which no more is known; true once. */
    boolean isBeyondDue(long micros) {
        boolean due = beyond <= micros;
        if (due) {
            beyond = NEVER;
        }
        return due;
    }

    /** There is no work in this lane. */
    void forget(Lane lane) {
        now.remove(lane);
    }

    /** Forgets what is known of lanes that will have work. */
    void forgetLater() {
        later.clear();
        earliest = NEVER;
        beyond = NEVER;
    }

    /** Those that may have work now. */
    Set<Lane> now() {
        return now;
    }

    /** Takes out those whose time has come: they may have work now. */
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

    /** When the next lane becomes due, or when it is time to look for those of which no more is known. */
    long next() {
        return Math.min(earliest, beyond);
    }

    /** Forgets the times that are furthest away, if there are too many of them: looks see them again. */
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

    /** Those that may have work now, in the order in which it is their turn. */
    static List<Lane> inTurn(Collection<Lane> lanes, int turn) {
        List<Lane> sorted = new ArrayList<>(lanes);
        sorted.sort(Comparator.comparing(Lane::queue).thenComparing(Lane::capability));
        if (!sorted.isEmpty()) {
            Collections.rotate(sorted, turn % sorted.size());
        }
        return sorted;
    }
}
