package dev.muster.postgres.internal.claims;

import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.ScanPlan.Reach;
import dev.muster.postgres.internal.claims.ScanResult.Seen;
import dev.muster.postgres.internal.db.TimeBudget;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongBiFunction;

/** Where this node's claims start in each (lane, rank); see "Claim cursors" in the description of {@link dev.muster.postgres}. Guarded by its own lock. */
public final class ClaimCursors {
    /** A cursor stays this far behind the clock: most commits take less, and scanning so short a time costs nothing. */
    private static final long COMMIT_MICROS = TimeUnit.MILLISECONDS.toMicros(20);

    /** More than enough time between reading the clock for a row and the first write of the transaction that inserts it. */
    private static final long BEFORE_WRITING_MICROS = TimeUnit.SECONDS.toMicros(10);

    /** A clock that is set back by more than this is noticed. */
    private static final long SET_BACK_MICROS = TimeUnit.SECONDS.toMicros(1);

    private static final int MAX_REMEMBERED = 10_000;

    private static final long YEAR_MICROS = TimeUnit.DAYS.toMicros(365);

    /** How many jobs for other nodes a probe skips in a lane and rank before it stops. */
    static final int WALK = 50_000;

    private static final int LONGEST_WALK = 1 << 25;

    /** A cursor that leaps over jobs that cannot be scanned in time stays this far behind the clock. */
    private static final long LEAP_MICROS = TimeUnit.SECONDS.toMicros(10);

    /** Positions are kept while a lane has no jobs, so that a later claim does not start among its dead rows. */
    private final Map<Lane, LaneCursor> marks = new HashMap<>();

    private final DueLanes lanes = new DueLanes();
    private final Clock clock;
    private final ToLongBiFunction<Lane, Long> turns;
    private final TimeBudget recent;
    private final ProbeSchedule probes;
    private boolean recentWanted = true;
    private boolean trustsXmax = true;
    private int rotation;
    private int wakes;
    private int wakesBeforeProbe;
    private int rollbacks;
    private Set<FoundJob> lastBehind = Set.of();

    /** The queues that claims leave out, because they are paused or have a limit that another session keeps. */
    private Set<String> leftOut = Set.of();

    /** Lanes in which a probe found no job for this node; there may be jobs for others. */
    private final Set<Lane> barren = new HashSet<>();

    private boolean claimedSinceProposal;
    private long proposal;
    private long timeline = -1;
    private long leastDistance;
    private int walk = WALK;

    ClaimCursors(Clock clock) {
        this(clock, (lane, due) -> 0, true);
    }

    /**
     * @param turns returns how long after a lane becomes due this node asks it, in microseconds; negative if others do
     * @param probesOften whether to probe as often as it costs little while there is nothing to claim
     */
    ClaimCursors(Clock clock, ToLongBiFunction<Lane, Long> turns, boolean probesOften) {
        this.clock = clock;
        this.turns = turns;
        this.recent = new TimeBudget(clock, 10, TimeUnit.MILLISECONDS.toNanos(200), TimeUnit.SECONDS.toNanos(2));
        this.probes = new ProbeSchedule(clock, probesOften);
    }

    /** There may be new jobs behind the cursors of these lanes, or of any lane if none are named. */
    synchronized void wake(Collection<Lane> named) {
        wakes++;
        recentWanted = true;
        named.forEach(this::activate);
        if (named.isEmpty()) {
            probes.want();
        }
    }

    /** There may be new jobs behind the cursors, which other nodes claim first: this node asks these lanes after the pause. */
    synchronized void wakeLater(Collection<Lane> named, Duration pause) {
        if (timeline < 0) {
            wake(named);
            return;
        }
        wakes++;
        recentWanted = true;
        long at = serverMicros() + TimeUnit.NANOSECONDS.toMicros(pause.toNanos());
        for (Lane lane : named) {
            if (lanes.now().contains(lane)) {
                activate(lane);
            } else {
                lanes.addTurn(lane, at, wakes);
            }
        }
    }

    /** Counts wake-ups: a probe does not cover a wake-up that came while it was under way. */
    synchronized int wakes() {
        return wakes;
    }

    /** Whether there was nothing to claim anywhere, and no wake-up since. */
    synchronized boolean idle() {
        activateDue();
        activateInTurn();
        return lanes.now().isEmpty();
    }

    /** The time until the next known job is due or the next probe; negative if neither is known. */
    synchronized long nanosUntilNext() {
        long next = Math.min(lanes.next(), lanes.nextTurn(wakesCoveredByProbe()));
        long untilDue = next == DueLanes.NEVER || timeline < 0
                ? -1
                : Math.max(0, TimeUnit.MICROSECONDS.toNanos(Math.min(next - serverMicros(), YEAR_MICROS)));
        long untilStretch = probes.untilNextStretch();
        return untilDue < 0 || untilStretch < 0 ? Math.max(untilDue, untilStretch) : Math.min(untilDue, untilStretch);
    }

    /** The time on the server's clock, or a little less. */
    synchronized long serverMicros() {
        return TimeUnit.NANOSECONDS.toMicros(clock.nanos()) + leastDistance;
    }

    private void activateDue() {
        if (timeline >= 0) {
            lanes.takeDue(serverMicros()).forEach(this::activate);
            if (lanes.isBeyondDue(serverMicros())) {
                probes.want();
            }
        }
    }

    /** If a probe is affordable, it is made first and may replace the claim: it costs less than a claim that finds nothing. */
    private void activateInTurn() {
        if (timeline >= 0) {
            lanes.takeTurns(serverMicros(), wakesCoveredByProbe()).forEach(this::activate);
        }
    }

    /** The last wake-up that the probe under way covers. */
    private int wakesCoveredByProbe() {
        return probes.underWay() ? wakesBeforeProbe : -1;
    }

    /** Whether a probe is due. */
    synchronized boolean probeDue() {
        activateDue();
        return probes.due(lanes.now().isEmpty());
    }

    /** Whether a probe costs little enough to be made on a mere suspicion. */
    synchronized boolean probeAffordable() {
        return probes.affordable();
    }

    /**
     * The time until a probe is affordable, if there was a wake-up that no probe covers: jobs that it announced may lie further back than
     * scans look. Negative if there was none.
     */
    synchronized long nanosUntilWakesCanBeProbed() {
        return wakes == wakesBeforeProbe ? -1 : Math.max(0, probes.untilAffordable());
    }

    /** Whether there may be jobs to claim: in a lane that is known, or where a probe is wanted. */
    synchronized boolean mayHaveJobs() {
        return !idle() || probes.isWanted();
    }

    /** Begins a probe if nothing is known to be claimable and a probe costs little. */
    synchronized Optional<ProbePlan> planProbeIfIdle() {
        return idle() && probes.affordable() ? Optional.of(planProbe()) : Optional.empty();
    }

    /** A probe has begun and was not made: it is due at once. */
    synchronized void probeNotMade() {
        probes.abandoned();
    }

    /** Begins a probe. No other one is due until it has ended. */
    synchronized ProbePlan planProbe() {
        boolean whole = probes.wholeIsDue();
        ProbePlan plan = ProbePlanner.plan(
                whole, probes.needsLimit(whole) || walk > WALK, walk, claimedSinceProposal, wakes, marks);
        probes.begin();
        wakesBeforeProbe = wakes;
        return plan;
    }

    /**
     * Records a probe: forgets lanes without pending jobs, adds new lanes, and moves cursors back that have passed a job.
     *
     * @return whether the probe saw anything new. A job that another transaction has locked is new only once
     */
    synchronized boolean probed(ProbePlan plan, ProbeResult seen, long nanos) {
        probes.ended(plan.whole(), nanos);
        probes.sharedBy(seen.claimers());
        Set<Lane> before = new HashSet<>(lanes.now());
        probes.heeded();
        recentWanted &= wakes != plan.wakes();
        for (Lane lane : before) {
            LaneCursor of = marks.get(lane);
            if (!of.wokenAfter(plan.wakes())) {
                of.expectNothing();
                lanes.forget(lane);
            }
        }
        lanes.forgetLater();
        lanes.forgetTurns(plan.wakes());
        long now = seen.server().clockMicros();
        Map<Lane, long[]> firsts = byLane(seen.firsts());
        Map<Lane, long[]> walked = byLane(seen.walked());
        firsts.keySet().forEach(barren::remove);
        seen.firsts().forEach(first -> expect(first, now));
        Set<FoundJob> behind = new HashSet<>();
        for (FoundJob other : seen.others()) {
            LaneCursor of = marks.get(other.lane());
            int r = Ranks.indexOf(other.rank());
            if (of != null && other.readyMicros() < of.position[r]) {
                of.backTo(r, other.readyMicros());
                behind.add(other);
            }
            expect(other, now);
        }
        seen.beyond().ifPresent(lanes::beyond);
        // After this many jobs for other nodes there may be one for this node.
        seen.walked().stream()
                .mapToLong(FoundJob::readyMicros)
                .filter(end -> end >= now)
                .forEach(lanes::beyond);
        lanes.trim();
        boolean over = seen.running() > proposal;
        boolean stuck = false;
        boolean walking = false;
        for (int i = 0; i < plan.ranks().length; i++) {
            Lane lane = new Lane(plan.queues().get(i), plan.capabilities().get(i));
            LaneCursor of = marks.get(lane);
            if (of == null) {
                continue;
            }
            int r = Ranks.indexOf(plan.ranks()[i]);
            if (!firsts.containsKey(lane)) {
                barren.add(lane);
            }
            long end = walked.getOrDefault(lane, NOWHERE)[r];
            if (end < now) {
                if (!plan.whole() && plan.floors()[i] == of.probeFrom(r)) {
                    of.walkedTo(r, LaneCursor.justBefore(end), over);
                    walking = true;
                    // There are more jobs with the same time than one probe walks over.
                    stuck |= end <= plan.floors()[i] + 2;
                } else {
                    // It has not seen what comes after that; a probe from the floors as they are now will.
                    probes.want();
                }
                continue;
            }
            long first = firsts.getOrDefault(lane, NOWHERE)[r];
            long safe = Math.min(LaneCursor.justBefore(first), now - BEFORE_WRITING_MICROS);
            boolean fromFloor = plan.whole() || plan.floors()[i] <= of.probeFrom(r);
            boolean confirmed = fromFloor && of.walkEnded(r, over);
            if (confirmed) {
                of.raiseFloor(r, safe);
            }
            if (over && seen.number().isPresent()) {
                of.proposed[r] = safe;
            }
            if (first < plan.positions()[i]) {
                of.backTo(r, first);
                behind.add(new FoundJob(lane, Ranks.at(r), first));
            }
        }
        if (!plan.whole()) {
            probes.unfinished(walking);
        }
        walk = stuck ? Math.min(walk * 2, LONGEST_WALK) : WALK;
        if (over && seen.number().isPresent()) {
            proposal = seen.number().getAsLong();
            claimedSinceProposal = false;
        }
        // After a walk over jobs for other nodes the floor may rise too, so that the next walk need not start over.
        claimedSinceProposal |= walking;
        if (!behind.isEmpty()) {
            // A scan may have skipped the job because of the mark of a lock.
            trustsXmax = false;
            recentWanted = true;
        }
        boolean news = !lastBehind.containsAll(behind)
                || lanes.now().stream().anyMatch(lane -> !before.contains(lane) && !barren.contains(lane));
        lastBehind = behind;
        if (marks.size() > MAX_REMEMBERED) {
            marks.keySet().retainAll(lanes.now());
            barren.retainAll(lanes.now());
        }
        server(seen.server());
        return news;
    }

    private static Map<Lane, long[]> byLane(Collection<FoundJob> hits) {
        Map<Lane, long[]> times = new HashMap<>();
        for (FoundJob hit : hits) {
            times.computeIfAbsent(hit.lane(), l -> nowhere())[Ranks.indexOf(hit.rank())] = hit.readyMicros();
        }
        return times;
    }

    /**
     * A probe has seen this job: its lane and rank have work, now or when the job is ready. A job of a queue that is left out is
     * ignored: when the queue is resumed or gets rid of its limit, there is a wake-up.
     */
    private void expect(FoundJob first, long nowMicros) {
        if (leftOut.contains(first.lane().queue())) {
            return;
        }
        if (first.readyMicros() > nowMicros) {
            long turn = turns.applyAsLong(first.lane(), first.readyMicros());
            if (turn >= 0) {
                lanes.addLater(first.lane(), first.readyMicros() + turn);
            }
        } else if (lanes.add(first.lane())) {
            LaneCursor of = marks.computeIfAbsent(first.lane(), l -> new LaneCursor());
            int r = Ranks.indexOf(first.rank());
            of.expect(r);
            of.used[r] = true;
        }
    }

    /**
     * A probe failed. It is not repeated at once; if it took too long, not before the next one is due. Any other failure says
     * nothing about the cost of a probe, and the reason for the probe remains.
     *
     * @param timedOut whether the probe took too long
     */
    synchronized void probeFailed(ProbePlan plan, long nanos, boolean timedOut) {
        if (timedOut) {
            if (walk > WALK) {
                marks.values().forEach(LaneCursor::skipInstant);
                walk = WALK;
            }
            probes.ended(plan.whole(), nanos);
            probes.heeded();
        } else {
            probes.abandoned();
        }
        probes.failed();
    }

    /**
     * Records the server's identity and clock. If another server takes over or the clock is set back, jobs may become claimable
     * before times that were safe until then.
     */
    synchronized void server(ServerTime now) {
        boolean another = timeline != now.walTimeline();
        if (timeline >= 0 && (another || now.greatestDistance() < leastDistance - SET_BACK_MICROS)) {
            marks.values().forEach(LaneCursor::forgetFloors);
            proposal = 0;
            probes.want();
        }
        timeline = now.walTimeline();
        leastDistance = now.leastDistance();
    }

    /** Decides how far back the next scan starts. When a recent scan is due, only the first caller makes it. */
    synchronized Reach nextReach() {
        if (recent.overdue() || (recentWanted && recent.affordable())) {
            recent.restart();
            return Reach.RECENT;
        }
        return Reach.FORWARD;
    }

    private void activate(Lane lane) {
        if (lanes.add(lane)) {
            marks.computeIfAbsent(lane, l -> new LaneCursor()).expectAll(wakes);
        } else {
            probes.want();
        }
    }

    /**
     * Plans a scan of the lanes that may have work.
     *
     * @param wakesBefore {@link #wakes()} before the reach was decided
     */
    synchronized ScanPlan plan(Reach reach, int wakesBefore) {
        activateDue();
        activateInTurn();
        return ScanPlanner.plan(
                reach, trustsXmax && reach == Reach.FORWARD, wakesBefore, rollbacks, lanes.now(), rotation++, marks);
    }

    /**
     * Records a committed scan, for each lane and rank by itself. Where the scan was cut short, there may be more behind the last
     * row: the cursor goes there, even if that is back. Where it has seen everything, the cursor goes to the time of the scan;
     * but if it skipped rows with an xmax, only to the last row found, and a scan that does not skip them is wanted. Where it did
     * not come, nothing changes.
     */
    synchronized void claimed(ScanPlan plan, ScanResult result, long clockMicros, boolean alone) {
        recentWanted |= result.sawAll();
        for (int i = 0; i < plan.ranks().length; i++) {
            claimedSinceProposal |= result.found(i);
            LaneCursor of = marks.get(plan.lane(i));
            if (of != null && result.seen(i) != Seen.NOTHING) {
                claimed(of, i, plan, result, clockMicros, alone);
            }
        }
    }

    private void claimed(LaneCursor of, int i, ScanPlan plan, ScanResult result, long clockMicros, boolean alone) {
        int r = Ranks.indexOf(plan.ranks()[i]);
        boolean found = result.found(i);
        of.used[r] |= found;
        if (result.sawAll() || !found) {
            of.scannedInVain(r, plan);
        }
        // Only jobs that were handed back may run alone, so a scan that left such jobs out has not seen all of those.
        if (!alone && Ranks.isOfHandedBack(r)) {
            return;
        }
        of.lateSeen(r, plan, i, clockMicros);
        if (found) {
            long last = Math.min(result.last(i), clockMicros - COMMIT_MICROS);
            if (last < of.position[r] ? plan.reach() != Reach.FORWARD : mayRise(of, r, plan, i)) {
                of.claimedAt(r, last);
            }
        }
        if (result.seen(i) == Seen.ALL && !plan.trustsXmax() && mayRise(of, r, plan, i)) {
            of.position[r] = Math.max(of.position[r], clockMicros - COMMIT_MICROS);
        }
    }

    /**
     * Records whether a committed scan met free rows that carry the mark of a lock. While scans meet such rows, marks are not
     * trusted: one transaction that was rolled back may have left them on a whole backlog.
     */
    synchronized void met(ScanPlan plan, boolean xmaxSet) {
        if (!plan.trustsXmax() && plan.rollbacks() == rollbacks) {
            trustsXmax = !xmaxSet;
        }
    }

    /**
     * Lanes of these queues are not scanned. When a queue is resumed, scans continue where the last job was claimed, and not
     * at the beginning: while dead rows cannot be removed, that may be millions of rows away.
     */
    synchronized void leftOut(Set<String> queues) {
        if (!queues.containsAll(leftOut)) {
            probes.want();
        }
        leftOut = queues;
        if (!queues.isEmpty()) {
            marks.forEach((lane, of) -> {
                if (queues.contains(lane.queue())) {
                    of.passedBy();
                }
            });
        }
    }

    /** Records that a scan of this reach was made, whether it finished or not, and its cost. */
    synchronized void scanned(Reach reach, int wakesBefore, long nanos) {
        if (reach == Reach.RECENT) {
            recentWanted &= wakes != wakesBefore;
            recent.spent(nanos);
        }
    }

    /** A cursor may not rise if a claim was rolled back during the scan: the scan may have skipped its rows. */
    private boolean mayRise(LaneCursor of, int r, ScanPlan plan, int i) {
        return plan.rollbacks() == rollbacks && of.mayRise(r, plan, i);
    }

    /** A scan was rolled back: other scans have skipped the rows it had locked, and these rows carry the mark of the lock. */
    synchronized void rolledBack(ScanPlan plan) {
        for (int i = 0; i < plan.ranks().length; i++) {
            LaneCursor of = marks.get(plan.lane(i));
            int r = Ranks.indexOf(plan.ranks()[i]);
            if (of != null) {
                of.backTo(r, plan.starts()[i]);
            }
        }
        recentWanted = true;
        trustsXmax = false;
        rollbacks++;
    }

    /**
     * A scan took too long, for example because of millions of jobs for other nodes before the first one for this node. The
     * cursors leap over them, and probes walk there instead, over a limited number of jobs at a time.
     */
    synchronized void leapOver(ScanPlan plan) {
        if (timeline < 0) {
            return;
        }
        long target = serverMicros() - LEAP_MICROS;
        for (int i = 0; i < plan.ranks().length; i++) {
            LaneCursor of = marks.get(plan.lane(i));
            if (of != null) {
                of.leapOver(Ranks.indexOf(plan.ranks()[i]), plan.starts()[i], target);
            }
        }
        probes.want();
    }

    private static final long[] NOWHERE = nowhere();

    private static long[] nowhere() {
        return Ranks.filled(Long.MAX_VALUE);
    }
}
