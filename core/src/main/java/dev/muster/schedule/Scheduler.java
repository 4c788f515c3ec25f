package dev.muster.schedule;

import dev.muster.job.JobId;
import dev.muster.job.Jobs;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.Loop;
import dev.muster.runtime.Service;
import dev.muster.schedule.CronStore.Agenda;
import dev.muster.schedule.CronStore.Due;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires ticks while this node leads. Sleeps until the next tick it knows of; who changes a cron wakes it, and a slow
 * look finds what a lost wake-up left behind.
 */
public final class Scheduler implements Service {
    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

    /** A tick that fires later than this was missed. Longer than a change of leader takes. */
    static final Duration MISSED_AFTER = Duration.ofSeconds(30);

    private static final Duration SLOW_LOOK = Duration.ofSeconds(30);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(30);
    private static final Duration FORGET_EVERY = Duration.ofHours(1);
    private static final int BATCH = 100;

    private final CronStore store;
    private final CronJobs cronJobs;
    private final Jobs jobs;
    private final Leadership leadership;
    private final Duration tick;
    private final Duration retain;
    private final Clock clock;
    private final Loop loop = new Loop("scheduler", this::step);
    private final Map<String, Long> retryAt = new HashMap<>();
    private long forgetAt;

    /**
     * @param tick how often a node that does not lead looks whether it does by now
     * @param retain how long the rows of ticks are kept
     */
    public Scheduler(
            CronStore store,
            CronJobs cronJobs,
            Jobs jobs,
            Leadership leadership,
            Duration tick,
            Duration retain,
            Clock clock) {
        this.store = store;
        this.cronJobs = cronJobs;
        this.jobs = jobs;
        this.leadership = leadership;
        this.tick = tick;
        this.retain = retain;
        this.clock = clock;
        this.forgetAt = clock.nanos() + FORGET_EVERY.toNanos();
    }

    @Override
    public String name() {
        return "scheduler";
    }

    @Override
    public void start() {
        loop.start();
    }

    @Override
    public void stop() {
        loop.stop();
    }

    @Override
    public Health health() {
        return loop.health();
    }

    /** Something about crons has changed. */
    public void wake() {
        loop.wake();
    }

    private Duration step() {
        if (!leadership.isLeader()) {
            return tick;
        }
        try {
            return turn();
        } catch (StaleLeader e) {
            log.info("no longer the leader: {}", e.getMessage());
            return tick;
        }
    }

    /** Handles what is due and says how long there is nothing to do. */
    Duration turn() {
        Agenda agenda = store.agenda(BATCH);
        List<String> due = agenda.due().stream().filter(this::mayTry).toList();
        for (String cron : due) {
            handle(cron);
        }
        forgetOldTicks();
        if (!due.isEmpty()) {
            return Duration.ZERO;
        }
        Duration pause =
                agenda.next().filter(next -> next.compareTo(SLOW_LOOK) < 0).orElse(SLOW_LOOK);
        return agenda.due().isEmpty() || pause.compareTo(tick) < 0 ? pause : tick;
    }

    private boolean mayTry(String cron) {
        Long at = retryAt.get(cron);
        return at == null || at - clock.nanos() <= 0;
    }

    private void handle(String cron) {
        try {
            leadership.fenced(tx -> {
                Optional<Due> due = store.lockDue(tx, cron);
                if (due.isPresent()) {
                    fire(tx, due.get());
                }
                return null;
            });
            retryAt.remove(cron);
        } catch (StaleLeader | DatabaseUnavailable e) {
            throw e;
        } catch (RuntimeException e) {
            // One cron that cannot be fired must not hold up the others.
            log.error("cron={} could not be fired: {}", cron, e.getMessage());
            retryAt.put(cron, clock.nanos() + RETRY_AFTER.toNanos());
            leadership.fenced(tx -> {
                store.noteProblem(tx, cron, String.valueOf(e.getMessage()));
                return null;
            });
        }
    }

    private void fire(Connection tx, Due due) throws SQLException {
        CronInfo cron = due.cron();
        Schedule schedule = cron.definition().schedule();
        Instant lastTick = null;
        JobId lastJob = cron.lastJob().orElse(null);
        if (cron.nextTick().isPresent()) {
            for (Tick wanted : wanted(cron, schedule, due.now())) {
                boolean skipped =
                        cron.definition().overlap() == Overlap.SKIP && lastJob != null && store.isLive(tx, lastJob);
                JobId id = skipped ? null : JobId.next();
                if (store.recordTick(tx, cron.name(), wanted.at(), id) && id != null) {
                    cronJobs.enqueueTick(
                            jobs.in(tx), id, cron.definition(), wanted.at(), due.now(), wanted.isCatchUp());
                    lastTick = wanted.at();
                    lastJob = id;
                }
                if (skipped) {
                    log.info("cron={} tick={} skipped: job={} has not ended", cron.name(), wanted.at(), lastJob);
                }
            }
        }
        Instant next = schedule.next(due.now())
                .orElseThrow(() -> new InvalidCron("cron '" + cron.name() + "' has no further tick"));
        store.advance(tx, cron.name(), next, lastTick, lastTick == null ? null : lastJob);
    }

    /** A tick to be fired. */
    record Tick(Instant at, boolean isCatchUp) {}

    /** Which of the ticks that are due fire, by the cron's misfire policy; the oldest first. */
    static List<Tick> wanted(CronInfo cron, Schedule schedule, Instant now) {
        Instant from = cron.nextTick().orElseThrow();
        CronDefinition definition = cron.definition();
        int most = definition.misfire() == Misfire.CATCH_UP ? definition.catchUpLimit() : 1;
        // One more, to know whether there were others before.
        List<Instant> due = schedule.last(from, now, most + 1);
        List<Instant> last = due.subList(Math.max(0, due.size() - most), due.size());
        if (last.isEmpty()) {
            return List.of();
        }
        Instant latest = last.get(last.size() - 1);
        boolean inTime = Duration.between(latest, now).compareTo(MISSED_AFTER) <= 0;
        return switch (definition.misfire()) {
            case SKIP -> inTime ? List.of(new Tick(latest, false)) : List.of();
            case FIRE_ONCE -> List.of(new Tick(latest, !inTime || due.size() > 1));
            case CATCH_UP ->
                last.stream()
                        .map(at -> new Tick(at, !inTime || !at.equals(latest)))
                        .toList();
        };
    }

    private void forgetOldTicks() {
        if (forgetAt - clock.nanos() <= 0) {
            forgetAt = clock.nanos() + FORGET_EVERY.toNanos();
            int forgotten;
            do {
                forgotten = leadership.fenced(tx -> store.forgetTicks(tx, retain));
            } while (forgotten > 0);
        }
    }
}
