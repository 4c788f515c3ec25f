package dev.muster.postgres;

import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.runtime.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Where this node's claims start in each (lane, rank); see the package description. Guarded by itself. */
final class Cursors {
    static final long BEGINNING = -1;

    private static final long LATE_COMMIT_MICROS = TimeUnit.SECONDS.toMicros(2);

    /** A cursor stays this far behind the clock: most commits take less, and a scan over so little costs nothing. */
    private static final long COMMIT_MICROS = TimeUnit.MILLISECONDS.toMicros(20);

    /** Each priority, and the rank above it for jobs that were handed back; highest first. */
    static final short[] RANKS = ranks();

    /** How far back a scan starts. */
    enum Reach {
        /** Exactly at the cursor. */
        FORWARD,
        /** Far enough back to see commits that came late. */
        RECENT,
        /** From the beginning, over all lanes there are. */
        EVERYTHING
    }

    /** Where one scan goes: parallel arrays, in the order of the claim. */
    record Plan(
            Reach reach,
            boolean trusting,
            int wakes,
            short[] ranks,
            List<String> queues,
            List<String> capabilities,
            long[] starts) {
        Lane lane(int i) {
            return new Lane(queues.get(i), capabilities.get(i));
        }
    }

    /** What is known of one lane, by rank. */
    private static final class Marks {
        final long[] position = atBeginning();

        /** The server's clock when a scan last looked for commits that came late; what came since is not much older. */
        private final long[] lateSeen = new long[RANKS.length];

        /**
         * In a backlog that is older than a late commit can be, looking for such commits costs nothing: they stand
         * in front of the cursor. It matters while nothing dead can be removed, and two seconds hold 100,000 rows.
         */
        long start(int r, Reach reach) {
            if (reach == Reach.EVERYTHING || position[r] == BEGINNING) {
                return BEGINNING;
            }
            // One microsecond back: positions travel as floating point and may be off by one.
            long forward = position[r] - 1;
            return reach == Reach.RECENT ? Math.min(forward, lateSeen[r] - LATE_COMMIT_MICROS) : forward;
        }

        /** Not if the scan started after it: meanwhile another has found more to do in between. */
        boolean mayRise(int r, Plan plan, int i) {
            return plan.starts()[i] <= position[r];
        }

        void lateSeen(int r, Plan plan, int i, long clockMicros) {
            if (plan.reach() != Reach.FORWARD || plan.starts()[i] == BEGINNING) {
                lateSeen[r] = Math.max(lateSeen[r], clockMicros);
            }
        }
    }

    private static final int MAX_REMEMBERED = 10_000;

    /** Positions outlive a lane's work: when it returns, the claim does not start among its dead rows. */
    private final Map<Lane, Marks> marks = new HashMap<>();

    private final Set<Lane> active = new HashSet<>();
    private final Budget recent;
    private final Budget everything;
    private boolean recentWanted = true;
    private boolean trusting = true;
    private boolean everythingWanted = true;
    private int rotation;
    private int wakes;

    Cursors(Clock clock) {
        this.recent = new Budget(clock, 10, TimeUnit.MILLISECONDS.toNanos(200), TimeUnit.SECONDS.toNanos(2));
        this.everything = new Budget(clock, 20, TimeUnit.SECONDS.toNanos(10), TimeUnit.SECONDS.toNanos(60));
    }

    private static short[] ranks() {
        int[] descending = Arrays.stream(Priority.values())
                .flatMapToInt(p -> IntStream.of(p.level(), p.level() + 1))
                .boxed()
                .sorted(Comparator.reverseOrder())
                .mapToInt(Integer::intValue)
                .toArray();
        short[] ranks = new short[descending.length];
        for (int i = 0; i < ranks.length; i++) {
            ranks[i] = (short) descending[i];
        }
        return ranks;
    }

    /** New work may stand behind the cursors: of these lanes, or of any if there are none named. */
    synchronized void wake(Collection<Lane> lanes) {
        wakes++;
        recentWanted = true;
        lanes.forEach(this::activate);
        if (lanes.isEmpty()) {
            everythingWanted = true;
        }
    }

    /** How often there was a wake-up: one that came during a look was not heeded by it. */
    synchronized int wakes() {
        return wakes;
    }

    /** Decides how far back the next scan goes. One whose time has come is made by whoever asks first, and by nobody else. */
    synchronized Reach nextReach() {
        if (everythingWanted || everything.overdue() || (recentWanted && everything.affordable())) {
            everything.restart();
            return Reach.EVERYTHING;
        }
        if (recent.overdue() || (recentWanted && recent.affordable())) {
            recent.restart();
            return Reach.RECENT;
        }
        return Reach.FORWARD;
    }

    /** Drops lanes that have nothing pending, learns those that are new. */
    synchronized void discovered(Collection<Lane> lanes, int wakesBefore) {
        if (wakes == wakesBefore) {
            active.clear();
        }
        lanes.forEach(this::activate);
        if (marks.size() > MAX_REMEMBERED) {
            marks.keySet().retainAll(active);
        }
    }

    private void activate(Lane lane) {
        active.add(lane);
        marks.computeIfAbsent(lane, l -> new Marks());
    }

    /** @param wakesBefore {@link #wakes()} before the reach was decided */
    synchronized Plan plan(Reach reach, int wakesBefore) {
        List<Lane> lanes = new ArrayList<>(active);
        lanes.sort(Comparator.comparing(Lane::queue).thenComparing(Lane::capability));
        if (!lanes.isEmpty()) {
            Collections.rotate(lanes, rotation++ % lanes.size());
        }
        int size = lanes.size() * RANKS.length;
        short[] ranks = new short[size];
        long[] starts = new long[size];
        List<String> queues = new ArrayList<>(size);
        List<String> capabilities = new ArrayList<>(size);
        int i = 0;
        for (int r = 0; r < RANKS.length; r++) {
            for (Lane lane : lanes) {
                ranks[i] = RANKS[r];
                starts[i] = marks.get(lane).start(r, reach);
                queues.add(lane.queue());
                capabilities.add(lane.capability());
                i++;
            }
        }
        return new Plan(reach, trusting && reach == Reach.FORWARD, wakesBefore, ranks, queues, capabilities, starts);
    }

    /** A row that a scan claimed. */
    record Hit(Lane lane, int rank, long readyMicros) {}

    /**
     * Records a committed scan that found as much as it wanted. There may be more behind the last row
     * of each lane and rank: the cursor goes there, back if need be.
     */
    synchronized void claimed(Plan plan, Collection<Hit> hits, long clockMicros, boolean alone) {
        Map<Lane, long[]> furthest = new HashMap<>();
        for (Hit hit : hits) {
            long[] ranks = furthest.computeIfAbsent(hit.lane(), l -> atBeginning());
            int r = indexOf(hit.rank());
            ranks[r] = Math.max(ranks[r], Math.min(hit.readyMicros(), clockMicros - COMMIT_MICROS));
        }
        boolean reached = false;
        for (int i = plan.ranks().length - 1; i >= 0; i--) {
            int r = indexOf(plan.ranks()[i]);
            long[] found = furthest.get(plan.lane(i));
            boolean hit = found != null && found[r] != BEGINNING;
            // What comes after the last row that was found has not been looked at.
            reached |= hit;
            Marks of = marks.get(plan.lane(i));
            if (reached && of != null && (alone || !mayHoldThem(plan.ranks()[i]))) {
                of.lateSeen(r, plan, i, clockMicros);
                if (hit && (found[r] < of.position[r] ? plan.reach() != Reach.FORWARD : of.mayRise(r, plan, i))) {
                    of.position[r] = found[r];
                }
            }
        }
    }

    /**
     * Records whether a committed scan met rows that bear the mark of a lock and were free all the same. While it does,
     * such marks are not trusted: there may be a whole backlog of them, left by one transaction that was rolled back.
     */
    synchronized void met(Plan plan, boolean marked) {
        if (!plan.trusting()) {
            trusting = !marked;
        }
    }

    /**
     * Records a committed scan that found less than it wanted: everything due up to this time was seen. Not so if it
     * passed marked rows by: then the cursor goes no further than what was found, and a scan that does not is wanted.
     */
    synchronized void exhausted(Plan plan, Collection<Hit> hits, long clockMicros, boolean alone) {
        recentWanted = true;
        if (plan.trusting()) {
            claimed(plan, hits, clockMicros, alone);
            return;
        }
        for (int i = 0; i < plan.ranks().length; i++) {
            Marks of = marks.get(plan.lane(i));
            int r = indexOf(plan.ranks()[i]);
            if (of != null && (alone || !mayHoldThem(plan.ranks()[i]))) {
                of.lateSeen(r, plan, i, clockMicros);
                if (of.mayRise(r, plan, i)) {
                    of.position[r] = Math.max(of.position[r], clockMicros - COMMIT_MICROS);
                }
            }
        }
    }

    /** Lanes of paused queues are not scanned: when they run again, they are scanned from their beginning. */
    synchronized void paused(Set<String> queues) {
        if (!queues.isEmpty()) {
            marks.forEach((lane, of) -> {
                if (queues.contains(lane.queue())) {
                    Arrays.fill(of.position, BEGINNING);
                }
            });
        }
    }

    /** Records that a scan of this reach was made, to its end or not, and what it cost. */
    synchronized void scanned(Reach reach, int wakesBefore, long nanos) {
        boolean heeded = wakes == wakesBefore;
        switch (reach) {
            case FORWARD -> {}
            case RECENT -> {
                recentWanted &= !heeded;
                recent.spent(nanos);
            }
            case EVERYTHING -> {
                recentWanted &= !heeded;
                everythingWanted &= !heeded;
                recent.restart();
                everything.spent(nanos);
            }
        }
    }

    /** A scan was rolled back: what it had locked, others have passed by. */
    synchronized void rolledBack(Plan plan) {
        for (int i = 0; i < plan.ranks().length; i++) {
            Marks of = marks.get(plan.lane(i));
            int r = indexOf(plan.ranks()[i]);
            if (of != null) {
                of.position[r] = Math.min(of.position[r], plan.starts()[i]);
            }
        }
        recentWanted = true;
    }

    /** Jobs that run alone stand only among those that were handed back; a scan that left them out has not seen those ranks. */
    private static boolean mayHoldThem(int rank) {
        return rank % 25 == 1;
    }

    private static int indexOf(int rank) {
        for (int r = 0; r < RANKS.length; r++) {
            if (RANKS[r] == rank) {
                return r;
            }
        }
        throw new IllegalArgumentException("rank " + rank + " is unknown");
    }

    private static long[] atBeginning() {
        long[] fresh = new long[RANKS.length];
        Arrays.fill(fresh, BEGINNING);
        return fresh;
    }

    /**
     * Allows something to take one part in {@code share} of the time, and asks for it every {@code period}, or less
     * often if it costs more than that: while a transaction stays open somewhere, nothing dead is removed, and a scan
     * from the beginning takes longer and longer. After {@code longest} it is asked for whatever it costs.
     */
    private static final class Budget {
        private final Clock clock;
        private final long share;
        private final long period;
        private final long longest;
        private long lastEnd;
        private long lastCost;

        Budget(Clock clock, long share, long period, long longest) {
            this.clock = clock;
            this.share = share;
            this.period = period;
            this.longest = longest;
            this.lastEnd = clock.nanos() - period;
        }

        boolean affordable() {
            return clock.nanos() - lastEnd >= Math.min(lastCost * share, longest);
        }

        boolean overdue() {
            return clock.nanos() - lastEnd >= Math.max(period, Math.min(lastCost * share, longest));
        }

        void spent(long nanos) {
            restart();
            lastCost = nanos;
        }

        /** Something that includes it was done. */
        void restart() {
            lastEnd = clock.nanos();
        }
    }
}
