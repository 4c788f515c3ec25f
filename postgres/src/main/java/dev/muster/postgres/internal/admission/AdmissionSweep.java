package dev.muster.postgres.internal.admission;

import dev.muster.internal.job.store.AdmissionStore.Swept;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.admission.AdmissionFloor.Position;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits jobs that are due and still wait for admission. It reads them in the order in which they are due, along an index that has all of them,
 * and looks at nothing else: neither at groups without such jobs nor at jobs that are due later.
 *
 * <pre>
 *   the beginning ──────────── search ───────────▶ front ──── forward ───▶ now ──── next ───▶
 * </pre>
 *
 * <ul>
 *   <li>Forward, from where it looked last: what has become due since. This comes first, so that what becomes due now does not wait for what
 *       has waited for admission for long.
 *   <li>A search from the beginning, now and then and when a process begins: what others have left over, and what was committed late. It walks
 *       over jobs whose places are taken, too, so it may take a twentieth of the time only, unless it finds jobs that can be admitted.
 * </ul>
 *
 * Both go in stretches, and each stretch begins where the one before ended. A stretch that takes too long, because it is full of dead entries
 * that cannot be removed, is divided, and at last stepped over; so is a group to which nobody can admit.
 */
final class AdmissionSweep {
    private static final Logger log = LoggerFactory.getLogger(AdmissionSweep.class);

    /** How many jobs that wait for admission one statement reads. */
    private static final int STRETCH = 5_000;

    /** How many groups are locked by one transaction. */
    static final int AT_ONCE = 200;

    /** This many groups may fail in one call before those that remain are left for later. Each may wait for a lock for a second. */
    private static final int MOST_FAILURES = 3;

    private static final long FORWARD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LATE_COMMITS_EVERY_NANOS = TimeUnit.SECONDS.toNanos(4);

    /** Whoever has put the job into its group has a timer of its own, and this process looks a little later. */
    private static final Duration GRACE = Duration.ofMillis(500);

    private static final long SHARE = 20;
    private static final long SEARCH_EVERY_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long SEARCH_WHILE_JOBS_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final Position BEGINNING = Position.before(OffsetDateTime.ofInstant(Instant.EPOCH, ZoneOffset.UTC));

    /** The first part of a search that takes too long ends this long ago. */
    private static final Duration OLD = Duration.ofDays(1);

    /** A stretch that is shorter is not divided. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private static final int PARTS = 16;

    private final Database database;
    private final Clock clock;
    private final Admission admission;
    private final Leftover leftover;
    private final FailedGroups bad;
    private final AdmissionFloor floor;

    private long lateCommitsAt;
    private boolean forwardDone = true;
    private @Nullable Position search;
    private @Nullable Duration span;
    private long searchCost;
    private long searchNotBefore;
    private boolean jobsWait;

    /** Admits to these groups in one transaction, or fails. */
    @FunctionalInterface
    interface Admission {
        Set<Lane> admit(List<String> groups, boolean fromTheBeginning);
    }

    /** The statement took too long. */
    private static final class TooLong extends Exception {
        private static final long serialVersionUID = 1L;

        TooLong(SQLException cause) {
            super(cause);
        }
    }

    /** Is told of a group to which nothing could be admitted. */
    @FunctionalInterface
    interface Leftover {
        void later(String group, Duration delay);
    }

    AdmissionSweep(
            Database database,
            Clock clock,
            Admission admission,
            Leftover leftover,
            FailedGroups bad,
            AdmissionFloor floor) {
        this.database = database;
        this.clock = clock;
        this.admission = admission;
        this.leftover = leftover;
        this.bad = bad;
        this.floor = floor;
        this.lateCommitsAt = clock.nanos();
        this.searchNotBefore = clock.nanos();
    }

    /**
     * What one statement has read.
     *
     * @param late groups with a job that lies below their floors
     * @param next when the next job that waits for admission is due, if that is soon
     */
    private record Stretch(
            List<String> groups,
            List<String> late,
            Position end,
            boolean full,
            OffsetDateTime until,
            Optional<Duration> next) {}

    synchronized Swept sweep() {
        Set<Lane> lanes = new HashSet<>();
        if (search == null && floor.searchIsDue()) {
            // Usually one stretch has everything, and nothing is left to look forward to.
            beginSearch();
            Optional<Duration> next = search(lanes);
            if (search == null) {
                return new Swept(lanes, next);
            }
        }
        Optional<Duration> again = forward(lanes);
        if (search == null && floor.searchIsDue()) {
            beginSearch();
        }
        if (search != null && clock.nanos() - searchNotBefore >= 0) {
            search(lanes);
        }
        if (search != null) {
            Duration rest = Duration.ofNanos(Math.max(0, searchNotBefore - clock.nanos()));
            again = Optional.of(again.filter(next -> next.compareTo(rest) < 0).orElse(rest));
        }
        return new Swept(lanes, again);
    }

    /** Everything that is due, however long it takes. */
    synchronized Set<Lane> sweepAll() {
        Set<Lane> lanes = new HashSet<>();
        beginSearch();
        while (search != null) {
            search(lanes);
        }
        return lanes;
    }

    /** Returns when to look again, if that is known. */
    private Optional<Duration> forward(Set<Lane> lanes) {
        long start = clock.nanos();
        boolean again = forwardDone && start - lateCommitsAt >= LATE_COMMITS_EVERY_NANOS;
        if (again) {
            lateCommitsAt = start;
        }
        Position from = again ? floor.beforeLateCommits() : floor.front();
        if (from == null) {
            floor.searchAfter(0);
        }
        Optional<Duration> next;
        do {
            Stretch stretch;
            try {
                stretch = read(from, null);
            } catch (TooLong e) {
                log.debug("what became due for admission since {} is left to the search", from, e);
                floor.movedTo(null);
                floor.searchAfter(0);
                forwardDone = true;
                return Optional.empty();
            }
            admit(stretch, lanes);
            from = stretch.end();
            forwardDone = !stretch.full();
            if (forwardDone) {
                floor.reached(stretch.until());
            } else {
                floor.movedTo(from);
            }
            next = forwardDone ? stretch.next().map(AdmissionSweep::withGrace) : Optional.of(Duration.ZERO);
        } while (!forwardDone && clock.nanos() - start < FORWARD_NANOS);
        return next;
    }

    private static Duration withGrace(Duration untilDue) {
        return untilDue.isNegative() ? GRACE : untilDue.plus(GRACE);
    }

    private void beginSearch() {
        search = BEGINNING;
        span = null;
        searchCost = 0;
        jobsWait = false;
        searchNotBefore = clock.nanos();
        floor.searchBegins();
    }

    /** One stretch of the search. Returns when to look again, if that is known. */
    private Optional<Duration> search(Set<Lane> lanes) {
        Position from = search == null ? BEGINNING : search;
        // In microseconds, as the database has it: it says whether it has reached this time.
        OffsetDateTime until = span == null ? null : from.at().plus(span).truncatedTo(ChronoUnit.MICROS);
        long start = clock.nanos();
        boolean admitted = false;
        Optional<Duration> next = Optional.empty();
        try {
            Stretch stretch = read(from, until);
            Set<Lane> found = new HashSet<>();
            admit(stretch, found);
            admitted = !found.isEmpty();
            lanes.addAll(found);
            jobsWait |= !stretch.groups().isEmpty() || !stretch.late().isEmpty();
            boolean atTheEnd =
                    !stretch.full() && !(until != null && stretch.until().isEqual(until));
            search = atTheEnd ? null : stretch.end();
            if (atTheEnd) {
                forwardDone = true;
                floor.reached(stretch.until());
                next = stretch.next().map(AdmissionSweep::withGrace);
            }
            span = span == null || stretch.full() ? span : longer(span);
        } catch (TooLong e) {
            divide(from, until, e);
        }
        long cost = clock.nanos() - start;
        searchCost += cost;
        if (search == null) {
            long pause = Math.min(searchCost * SHARE, LONGEST_PAUSE_NANOS);
            floor.searchAfter(Math.max(pause, jobsWait ? SEARCH_WHILE_JOBS_WAIT_NANOS : SEARCH_EVERY_NANOS));
        } else {
            searchNotBefore = clock.nanos() + (admitted ? 0 : cost * SHARE);
        }
        return next;
    }

    /** A stretch took too long: the next one from here is shorter. If that does not help, it is left out. */
    private void divide(Position from, @Nullable OffsetDateTime until, TooLong cause) {
        OffsetDateTime now = database.inRawTransaction(connection ->
                database.query("transactions/now").one(connection, row -> row.getObject(1, OffsetDateTime.class)));
        OffsetDateTime end = until == null || until.isAfter(now) ? now : until;
        OffsetDateTime old = now.minus(OLD);
        Duration length = Duration.between(from.at(), end);
        if (from.equals(BEGINNING) && end.isAfter(old)) {
            span = Duration.between(from.at(), old);
        } else if (from.equals(BEGINNING) || length.compareTo(SHORTEST) <= 0) {
            log.warn(
                    "jobs that became due for admission between {} and {} could not be looked at: {}",
                    from.at(),
                    end,
                    cause.getMessage());
            search = Position.before(end);
            span = SHORTEST;
        } else {
            span = length.dividedBy(PARTS);
        }
    }

    private static @Nullable Duration longer(Duration span) {
        return span.compareTo(OLD) < 0 ? span.multipliedBy(2) : null;
    }

    private Stretch read(@Nullable Position from, @Nullable OffsetDateTime until) throws TooLong {
        try {
            return database.once(connection -> {
                database.applySettings(connection);
                database.query("transactions/short_statement").run(connection);
                return database.preparedQuery("admission/due")
                        .with(p -> p.optionalTime(from == null ? null : from.at())
                                .text(from == null ? "" : from.group())
                                .optionalTime(until)
                                .number(STRETCH))
                        .all(connection, AdmissionSweep::stretch);
            });
        } catch (SQLException e) {
            if (SqlStates.timedOut(e)) {
                throw new TooLong(e);
            }
            throw DatabaseErrors.translate(e);
        }
    }

    private static Stretch stretch(ResultSet rows) throws SQLException {
        List<String> groups = new ArrayList<>();
        List<String> late = new ArrayList<>();
        boolean full = false;
        OffsetDateTime until = BEGINNING.at();
        Position end = BEGINNING;
        Optional<Duration> next = Optional.empty();
        while (rows.next()) {
            String group = rows.getString("concurrency_group");
            if (group != null) {
                (rows.getBoolean("late") ? late : groups).add(group);
            }
            full = rows.getInt("looked_at") == STRETCH;
            until = rows.getObject("until", OffsetDateTime.class);
            end = full
                    ? new Position(rows.getObject("last_at", OffsetDateTime.class), rows.getString("last_group"))
                    : Position.before(until);
            long millis = rows.getLong("next_ms");
            next = rows.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
        }
        return new Stretch(groups, late, end, full, until, next);
    }

    /** Concurrency groups that failed a moment ago are tried by themselves. */
    private void admit(Stretch stretch, Set<Lane> lanes) {
        List<String> groups =
                stretch.groups().stream().filter(group -> !bad.waits(group)).toList();
        int[] failures = {0};
        for (int from = 0; from < groups.size(); from += AT_ONCE) {
            List<String> some = groups.subList(from, Math.min(groups.size(), from + AT_ONCE));
            if (failures[0] >= MOST_FAILURES || !admit(some, false, lanes)) {
                some.forEach(group -> admitAlone(group, false, lanes, failures));
            }
        }
        stretch.late().stream()
                .filter(group -> !bad.waits(group))
                .forEach(group -> admitAlone(group, true, lanes, failures));
    }

    private void admitAlone(String group, boolean fromTheBeginning, Set<Lane> lanes, int[] failures) {
        if (failures[0] >= MOST_FAILURES) {
            leftover.later(group, Duration.ZERO);
        } else if (!admit(List.of(group), fromTheBeginning, lanes)) {
            failures[0]++;
            leftover.later(group, bad.failed(group));
        }
    }

    /** Returns whether it could be done. */
    private boolean admit(List<String> groups, boolean fromTheBeginning, Set<Lane> lanes) {
        try {
            lanes.addAll(admission.admit(groups, fromTheBeginning));
            bad.succeeded(groups);
            return true;
        } catch (DatabaseUnavailable e) {
            throw e;
        } catch (MusterException e) {
            log.debug("jobs in {} groups are admitted later", groups.size(), e);
            return false;
        }
    }
}
