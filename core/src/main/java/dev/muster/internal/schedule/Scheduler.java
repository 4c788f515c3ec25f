package dev.muster.internal.schedule;

import dev.muster.internal.node.NodePart;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.LoopService;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.internal.schedule.CronStore.DueCrons;
import dev.muster.internal.schedule.CronStore.TickRow;
import dev.muster.internal.schedule.TickTransaction.Fired;
import dev.muster.internal.schedule.TickTransaction.RefusedJobs;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.Jobs;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.telemetry.Telemetry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires ticks while this node leads, those of many crons in one transaction. It sleeps until the next tick it knows of. A change
 * of a cron wakes it; if that wake-up is lost, a slow poll finds the change.
 */
public final class Scheduler extends LoopService implements NodePart {
    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

    /** A tick that fires later than this counts as missed; {@link TimeBehindOthers} is not counted. */
    static final Duration MISSED_AFTER = Duration.ofSeconds(30);

    private static final Duration SLOW_POLL = Duration.ofSeconds(30);

    /** When to try again to fire a cron that cannot be fired for a reason of its own. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(30);

    /** The longest wait after a transient error of the database. */
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(1);

    private static final Duration FORGET_EVERY = Duration.ofHours(1);
    private static final Duration FORGET_ON = Duration.ofSeconds(1);
    private static final int FORGET_PASSES = 5;

    /** A transaction takes as many crons as it can fire in about this time. */
    private static final Duration LONG_TRANSACTION = Duration.ofSeconds(1);

    private static final int FIRST_CHUNK = 100;
    private static final int LARGEST_CHUNK = 500;

    private final CronStore store;
    private final TickTransaction ticks;
    private final Leadership leadership;
    private final Duration tick;
    private final Duration retain;
    private final TelemetryListeners telemetry;
    private final Clock clock;
    private final TimeBehindOthers behindOthers = new TimeBehindOthers();
    private int chunk = FIRST_CHUNK;

    /** Due crons that another transaction has locked. They are tried again after all others. */
    private final Set<String> locked = new HashSet<>();

    private long forgetAt;

    /**
     * @param tick how often a node that does not lead checks whether it does by now
     * @param retain how long the rows of ticks are kept
     */
    public Scheduler(
            CronStore store,
            CronJobs cronJobs,
            Jobs jobs,
            Leadership leadership,
            Duration tick,
            Duration retain,
            TelemetryListeners telemetry,
            Clock clock) {
        super("scheduler", LONGEST_BACKOFF);
        this.store = store;
        this.ticks = new TickTransaction(store, cronJobs, jobs, telemetry.traces());
        this.leadership = leadership;
        this.tick = tick;
        this.retain = retain;
        this.telemetry = telemetry;
        this.clock = clock;
        this.forgetAt = clock.nanos() + FORGET_EVERY.toNanos();
    }

    @Override
    public Phase phase() {
        return Phase.CLUSTER;
    }

    @Override
    public Duration unfitToLeadFor() {
        return loop().failingFor();
    }

    /** Reads the crons at once, because one has changed. */
    public void wake() {
        loop().wake();
    }

    @Override
    protected Duration step() {
        if (!leadership.isLeader()) {
            behindOthers.end();
            locked.clear();
            return tick;
        }
        try {
            return turn();
        } catch (StaleLeader e) {
            log.info("no longer the leader: {}", e.getMessage());
            return tick;
        } catch (DatabaseUnavailable e) {
            throw e;
        } catch (RuntimeException e) {
            if (!SqlErrors.refusedForNow(e)) {
                throw e;
            }
            chunk = Math.max(1, chunk / 2);
            throw new DatabaseUnavailable("crons cannot be fired at the moment: " + e.getMessage(), e);
        }
    }

    /** Fires what is due and returns how long to wait. */
    private Duration turn() {
        DueCrons dueCrons = store.dueCrons(chunk, locked);
        Duration pause =
                dueCrons.next().filter(next -> next.compareTo(SLOW_POLL) < 0).orElse(SLOW_POLL);
        if (!dueCrons.due().isEmpty()) {
            long start = clock.nanos();
            fire(dueCrons.due());
            Duration took = Duration.ofNanos(clock.nanos() - start);
            behindOthers.add(took);
            adaptBatch(took);
            pause = Duration.ZERO;
        } else {
            behindOthers.end();
            if (!locked.isEmpty()) {
                locked.clear();
                pause = Durations.shorter(tick, pause);
            }
        }
        return forgetOldTicks() || pause.compareTo(FORGET_ON) < 0 ? pause : FORGET_ON;
    }

    private void adaptBatch(Duration took) {
        if (took.compareTo(LONG_TRANSACTION) > 0) {
            chunk = Math.max(1, chunk / 2);
        } else if (took.multipliedBy(4).compareTo(LONG_TRANSACTION) < 0) {
            chunk = Math.min(LARGEST_CHUNK, chunk * 2);
        }
    }

    /**
     * Fires the due ticks of these crons. A cron whose jobs are refused is left out; if the error does not tell which cron that
     * is, each half is tried by itself.
     */
    private void fire(List<String> crons) {
        try {
            Duration allowance = MISSED_AFTER.plus(behindOthers.soFar());
            Fired fired = leadership.fenced(tx -> ticks.fire(tx, crons, allowance, RETRY_AFTER));
            locked.addAll(fired.locked());
            tell(fired);
        } catch (StaleLeader | DatabaseUnavailable e) {
            throw e;
        } catch (RefusedJobs e) {
            noteProblems(e.reasons());
            List<String> others = crons.stream()
                    .filter(cron -> !e.reasons().containsKey(cron))
                    .toList();
            if (!others.isEmpty()) {
                fire(others);
            }
        } catch (RuntimeException e) {
            if (SqlErrors.refusedForNow(e)) {
                throw e;
            }
            if (crons.size() > 1) {
                int half = crons.size() / 2;
                fire(crons.subList(0, half));
                fire(crons.subList(half, crons.size()));
                return;
            }
            log.error("cron={} could not be fired: {}", crons.get(0), e.getMessage());
            noteProblems(Map.of(crons.get(0), String.valueOf(e.getMessage())));
        }
    }

    private void tell(Fired fired) {
        if (telemetry.isEnabled()) {
            for (TickRow row : fired.ticks()) {
                telemetry.ticked(new Telemetry.Tick(
                        row.cron(),
                        row.tick(),
                        Optional.ofNullable(row.job()),
                        Duration.between(row.tick(), fired.now())));
            }
        }
    }

    private void noteProblems(Map<String, String> problems) {
        leadership.fenced(tx -> {
            store.noteProblems(tx, problems, RETRY_AFTER);
            return null;
        });
    }

    /** Deletes a bounded number of old ticks, so that no due tick has to wait; false if there may be more. */
    private boolean forgetOldTicks() {
        if (forgetAt - clock.nanos() > 0) {
            return true;
        }
        boolean more = true;
        for (int pass = 0; pass < FORGET_PASSES && more; pass++) {
            more = leadership.fenced(tx -> store.forgetTicks(tx, retain));
        }
        forgetAt = clock.nanos() + (more ? FORGET_ON : FORGET_EVERY).toNanos();
        return !more;
    }
}
