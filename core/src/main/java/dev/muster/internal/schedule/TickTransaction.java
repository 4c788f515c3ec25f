package dev.muster.internal.schedule;

import dev.muster.internal.runtime.SqlErrors;
import dev.muster.internal.schedule.CronStore.Due;
import dev.muster.internal.schedule.CronStore.Moved;
import dev.muster.internal.schedule.CronStore.TickRow;
import dev.muster.internal.schedule.DueTicks.Tick;
import dev.muster.internal.telemetry.Traces;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.InvalidCron;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import dev.muster.schedule.Schedule;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fires the due ticks of several crons in one transaction, with no more statements than for one cron: it locks the crons, inserts
 * the rows of their ticks, enqueues the jobs of the rows that are new, and writes the crons' next ticks.
 */
final class TickTransaction {
    private static final Logger log = LoggerFactory.getLogger(TickTransaction.class);

    /** A transaction with this many ticks takes no further crons: one cron may have a thousand ticks to catch up on. */
    private static final int MAX_TICKS = 1_000;

    private static final int MAX_SCHEDULES = 10_000;

    private final CronStore store;
    private final CronJobs cronJobs;
    private final Jobs jobs;
    private final Traces traces;
    private final Map<List<String>, Schedule> schedules = new HashMap<>();

    TickTransaction(CronStore store, CronJobs cronJobs, Jobs jobs, Traces traces) {
        this.store = store;
        this.cronJobs = cronJobs;
        this.jobs = jobs;
        this.traces = traces;
    }

    /**
     * What the transaction did.
     *
     * @param locked crons that another transaction has locked, or that are no longer due
     * @param ticks the ticks that it recorded
     * @param now the time of the transaction, by the database's clock
     */
    record Fired(Set<String> locked, Collection<TickRow> ticks, Instant now) {}

    /** What the transaction writes for one cron. */
    private record Plan(CronInfo cron, List<TickRow> ticks, Map<Instant, JobRequest> requests, Instant next) {}

    /** The jobs of these crons were refused, for the reason given for each. The transaction must not be committed. */
    static final class RefusedJobs extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Map<String, String> reasons;

        RefusedJobs(Map<String, String> reasons) {
            super("the jobs of crons were refused: " + reasons.keySet());
            this.reasons = reasons;
        }

        Map<String, String> reasons() {
            return reasons;
        }
    }

    /**
     * Fires the due ticks of these crons. If a cron cannot be fired, the reason is recorded in its row, and the others still
     * fire.
     *
     * @param allowance how late a tick may be without counting as missed
     * @param retryAfter when a cron that cannot be fired is tried again
     * @throws RefusedJobs if jobs cannot be enqueued; the other crons can be fired without those that it names
     */
    Fired fire(Connection tx, List<String> crons, Duration allowance, Duration retryAfter) throws SQLException {
        Due due = store.lockDue(tx, crons);
        List<Plan> plans = new ArrayList<>();
        Map<String, String> problems = new LinkedHashMap<>();
        int ticks = 0;
        for (CronInfo cron : due.crons()) {
            if (ticks >= MAX_TICKS) {
                break;
            }
            try {
                Plan plan = plan(cron, due, allowance);
                plans.add(plan);
                ticks += plan.ticks().size();
            } catch (RuntimeException e) {
                problems.put(cron.name(), problem(cron, e));
            }
        }
        Set<TickRow> fresh = write(tx, plans);
        if (!problems.isEmpty()) {
            store.noteProblems(tx, problems, retryAfter);
        }
        Set<String> locked = new HashSet<>(crons);
        due.crons().forEach(cron -> locked.remove(cron.name()));
        return new Fired(locked, fresh, due.now());
    }

    /** Returns why the cron cannot be fired, and logs it unless the row has the same reason already. */
    private static String problem(CronInfo cron, RuntimeException e) {
        String problem = String.valueOf(e.getMessage());
        if (!cron.problem().equals(Optional.of(problem))) {
            log.error("cron={} could not be fired: {}", cron.name(), problem);
        }
        return problem;
    }

    private Plan plan(CronInfo cron, Due due, Duration allowance) {
        CronDefinition definition = cron.definition();
        requireKnown(definition);
        Schedule schedule = schedule(definition);
        Instant next = schedule.next(due.now())
                .orElseThrow(() -> new InvalidCron("cron '" + cron.name() + "' has no further tick"));
        List<TickRow> ticks = new ArrayList<>();
        Map<Instant, JobRequest> requests = new HashMap<>();
        if (cron.nextTick().isPresent()) {
            boolean alone = definition.overlap() == Overlap.SKIP;
            boolean busy = alone && cron.lastJob().filter(due.live()::contains).isPresent();
            for (Tick tick : DueTicks.wanted(cron, schedule, due.now(), allowance)) {
                JobId id = busy ? null : JobId.next();
                ticks.add(new TickRow(cron.name(), tick.at(), id));
                if (id == null) {
                    log.info(
                            "cron={} tick={} skipped: the job of an earlier tick has not ended",
                            cron.name(),
                            tick.at());
                } else {
                    requests.put(tick.at(), cronJobs.tick(id, definition, tick.at(), due.now(), tick.isCatchUp()));
                    busy = alone;
                }
            }
        }
        return new Plan(cron, ticks, requests, next);
    }

    /** Its ticks wait for a leader that knows what to do with them. */
    private static void requireKnown(CronDefinition cron) {
        if (cron.misfire() == Misfire.UNKNOWN || cron.overlap() == Overlap.UNKNOWN) {
            throw new InvalidCron("cron '" + cron.name() + "' has "
                    + (cron.misfire() == Misfire.UNKNOWN ? "a misfire policy" : "an overlap policy")
                    + " that this version of Muster does not know; it fires when a node of the newer version leads");
        }
    }

    /** Caches schedules: parsing an expression takes longer than all the rest, and many crons share one expression. */
    private Schedule schedule(CronDefinition definition) {
        if (schedules.size() > MAX_SCHEDULES) {
            schedules.clear();
        }
        List<String> key = List.of(definition.expression(), definition.zone());
        Schedule known = schedules.get(key);
        if (known == null) {
            known = definition.schedule();
            schedules.put(key, known);
        }
        return known;
    }

    /** Returns the ticks that are new. */
    private Set<TickRow> write(Connection tx, List<Plan> plans) throws SQLException {
        List<TickRow> rows =
                plans.stream().flatMap(plan -> plan.ticks().stream()).toList();
        Set<TickRow> fresh = rows.isEmpty() ? Set.of() : store.recordTicks(tx, rows);
        Map<String, String> refused = new LinkedHashMap<>();
        enqueue(jobs.in(tx), plans, fresh, refused);
        if (!refused.isEmpty()) {
            throw new RefusedJobs(refused);
        }
        if (!plans.isEmpty()) {
            store.advance(tx, plans.stream().map(plan -> moved(plan, fresh)).toList());
        }
        return fresh;
    }

    /** Enqueues all jobs in one statement; if that is refused, tries each half, until the refused crons are known. */
    private void enqueue(Enqueuer enqueuer, List<Plan> plans, Set<TickRow> fresh, Map<String, String> refused) {
        TickSpans spans = new TickSpans(traces);
        List<JobRequest> requests = plans.stream()
                .flatMap(plan -> plan.ticks().stream()
                        .filter(fresh::contains)
                        .flatMap(row -> Stream.ofNullable(plan.requests().get(row.tick()))
                                .map(request -> spans.begin(plan.cron().name(), row.tick(), request))))
                .toList();
        if (requests.isEmpty()) {
            return;
        }
        try {
            spans.enqueue(enqueuer, requests);
        } catch (RuntimeException e) {
            if (e instanceof DatabaseUnavailable || SqlErrors.refusedForNow(e)) {
                throw e;
            }
            if (plans.size() == 1) {
                CronInfo cron = plans.get(0).cron();
                refused.put(cron.name(), problem(cron, e));
                return;
            }
            int half = plans.size() / 2;
            enqueue(enqueuer, plans.subList(0, half), fresh, refused);
            enqueue(enqueuer, plans.subList(half, plans.size()), fresh, refused);
        }
    }

    private static Moved moved(Plan plan, Set<TickRow> fresh) {
        @Nullable TickRow last = null;
        for (TickRow row : plan.ticks()) {
            if (row.job() != null && fresh.contains(row)) {
                last = row;
            }
        }
        return new Moved(
                plan.cron().name(), plan.next(), last == null ? null : last.tick(), last == null ? null : last.job());
    }
}
