package dev.muster.postgres.internal.maintenance;

import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.MinuteMetrics;
import dev.muster.telemetry.MinuteMetrics.Minute;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drops old days and writes metrics in PostgreSQL. */
public final class PostgresMaintenanceStore implements MaintenanceStore {
    private static final Logger log = LoggerFactory.getLogger(PostgresMaintenanceStore.class);
    private static final long MINUTE_MS = 60_000;
    private static final Duration FIGURES_LIMIT = Duration.ofSeconds(5);
    private static final int GAVE_UP = -1;

    /** How many pages of a table are walked in one transaction: some 40,000 keys. */
    private static final int PAGES_PER_STRETCH = 500;

    private final Database database;
    private final Readers readers;
    private final Limits limits;

    /** Whether the jobs of the last minute were slow to find. */
    private volatile boolean slow;

    /**
     * How long the steps of writing metrics may take. Together they stay within the lease of the leader, whose transaction this
     * is.
     *
     * @param slow if a minute took longer, the index is summarized before the next one is written
     */
    record Limits(Duration summary, Duration minute, Duration depth, Duration slow) {
        static final Limits DEFAULT =
                new Limits(Duration.ofSeconds(2), Duration.ofSeconds(8), Duration.ofSeconds(4), Duration.ofSeconds(1));
    }

    public PostgresMaintenanceStore(Database database, Readers readers) {
        this(database, readers, Limits.DEFAULT);
    }

    PostgresMaintenanceStore(Database database, Readers readers, Limits limits) {
        this.database = database;
        this.readers = readers;
        this.limits = limits;
    }

    @Override
    public JobMetrics figures(Duration since) {
        Query figures = database.query("maintenance/figures").with(p -> p.number(Math.max(1, since.toMinutes())));
        return readers.asPlanned(
                FIGURES_LIMIT, connection -> figures.all(connection, PostgresMaintenanceStore::metrics));
    }

    /** Every row names the same minutes. */
    private static JobMetrics metrics(ResultSet rows) throws SQLException {
        List<JobMetrics.Row> of = new ArrayList<>();
        Instant from = Instant.EPOCH;
        Instant to = Instant.EPOCH;
        Duration age = Duration.ZERO;
        while (rows.next()) {
            from = Rows.instant(rows, "first_minute");
            to = Rows.instant(rows, "done_to");
            age = Duration.ofMillis(rows.getLong("age_ms"));
            if (rows.getString("queue") != null) {
                of.add(figuresOf(rows));
            }
        }
        return new JobMetrics(from, to, age, of);
    }

    private static JobMetrics.Row figuresOf(ResultSet rows) throws SQLException {
        return new JobMetrics.Row(
                rows.getString("queue"),
                Optional.of(rows.getString("name")).filter(name -> !name.isEmpty()),
                rows.getLong("completed"),
                rows.getLong("failed"),
                rows.getLong("cancelled"),
                rows.getLong("expired"),
                percentiles(rows, "run"),
                percentiles(rows, "wait"),
                rows.getLong("depth"));
    }

    private static Optional<JobMetrics.Percentiles> percentiles(ResultSet rows, String what) throws SQLException {
        double p50 = rows.getDouble(what + "_p50");
        return rows.wasNull()
                ? Optional.empty()
                : Optional.of(new JobMetrics.Percentiles(
                        p50, rows.getDouble(what + "_p95"), rows.getDouble(what + "_worst")));
    }

    @Override
    public MinuteMetrics minutes(Duration since, Optional<String> queue, int mostQueues) {
        Query minutes = database.query(
                        "maintenance/minutes", Map.of("queue", queue.isPresent() ? " AND m.queue = ?" : ""))
                .with(p -> {
                    p.number(Math.max(1, since.toMinutes()));
                    if (queue.isPresent()) {
                        p.text(queue.get());
                    }
                    p.number(mostQueues);
                });
        return readers.alongIndexes(
                FIGURES_LIMIT, connection -> minutes.all(connection, PostgresMaintenanceStore::byQueue));
    }

    /** Every row names the same period. A minute without jobs has no row. */
    private static MinuteMetrics byQueue(ResultSet rows) throws SQLException {
        Map<String, Map<Instant, Minute>> queues = new LinkedHashMap<>();
        Instant from = Instant.EPOCH;
        Instant to = Instant.EPOCH;
        while (rows.next()) {
            from = Rows.instant(rows, "first_minute");
            to = Rows.instant(rows, "done_to");
            String queue = rows.getString("queue");
            if (queue != null) {
                Minute minute = minute(rows);
                queues.computeIfAbsent(queue, name -> new HashMap<>()).put(minute.minute(), minute);
            }
        }
        List<MinuteMetrics.Queue> all = new ArrayList<>();
        for (Map.Entry<String, Map<Instant, Minute>> queue : queues.entrySet()) {
            List<Minute> minutes = new ArrayList<>();
            for (Instant at = from; at.isBefore(to); at = at.plusSeconds(60)) {
                minutes.add(queue.getValue().getOrDefault(at, Minute.empty(at)));
            }
            all.add(new MinuteMetrics.Queue(queue.getKey(), minutes));
        }
        return new MinuteMetrics(from, to, all);
    }

    private static Minute minute(ResultSet row) throws SQLException {
        return new Minute(
                Rows.instant(row, "minute"),
                row.getLong("completed"),
                row.getLong("failed"),
                row.getLong("cancelled"),
                row.getLong("expired"),
                times(row, "run"),
                times(row, "wait"),
                Optional.ofNullable(row.getObject("depth", Long.class)));
    }

    private static Optional<MinuteMetrics.Times> times(ResultSet row, String what) throws SQLException {
        double p50 = row.getDouble(what + "_p50_ms");
        return row.wasNull()
                ? Optional.empty()
                : Optional.of(new MinuteMetrics.Times(p50, row.getDouble(what + "_p95_ms")));
    }

    @Override
    public List<Minute> lastMinutes(int minutes) {
        Query last = database.query("maintenance/last_minutes").with(p -> p.number(minutes));
        return readers.alongIndexes(
                FIGURES_LIMIT, connection -> last.list(connection, PostgresMaintenanceStore::minute));
    }

    @Override
    public Dropped dropOldestDay(Connection tx, Days of, Duration retain) throws SQLException {
        Query drop = database.query("maintenance/call_drop_day")
                .with(p -> p.text(table(of)).number(retain.toMillis()));
        Savepoint before = tx.setSavepoint();
        try {
            Optional<String> dropped = drop.first(tx, row -> row.getString(1));
            dropped.ifPresent(day -> log.info("dropped day={}", day));
            return dropped.isPresent() ? Dropped.ONE : Dropped.NONE;
        } catch (SQLException e) {
            if (!SqlStates.lockNotAvailable(e)) {
                throw e;
            }
            tx.rollback(before);
            return Dropped.BUSY;
        }
    }

    private static String table(Days days) {
        return switch (days) {
            case HISTORY -> "muster_job_history";
            case JOB_LOGS -> "muster_job_logs";
            case ATTEMPTS -> "muster_job_attempts";
            case METRICS -> "muster_metrics";
        };
    }

    @Override
    public Stretch forgetKeys(Connection tx, Duration retain, long fromPage) throws SQLException {
        return database.query("jobs/forget_keys")
                .with(p -> bindPages(p, fromPage).number(retain.toMillis()).number(retain.toMillis()))
                .one(tx, row -> stretch(row, fromPage));
    }

    @Override
    public int forgetPlacements(Connection tx) throws SQLException {
        return database.query("maintenance/forget_placements").update(tx);
    }

    @Override
    public Stretch forgetLocks(Connection tx, Duration freeFor, long fromPage) throws SQLException {
        return database.query("locks/forget")
                .with(p -> bindPages(p, fromPage).number(freeFor.toMillis()))
                .one(tx, row -> stretch(row, fromPage));
    }

    @Override
    public Stretch forgetRateLimits(Connection tx, Duration endedFor, long fromPage) throws SQLException {
        return database.query("rate_limits/forget")
                .with(p -> bindPages(p, fromPage).number(endedFor.toMillis()))
                .one(tx, row -> stretch(row, fromPage));
    }

    private static Params bindPages(Params params, long fromPage) throws SQLException {
        return params.text("(" + fromPage + ",0)").text("(" + (fromPage + PAGES_PER_STRETCH) + ",0)");
    }

    private static Stretch stretch(ResultSet row, long fromPage) throws SQLException {
        long next = fromPage + PAGES_PER_STRETCH;
        return new Stretch(row.getInt("forgotten"), next < row.getLong("pages") ? next : 0);
    }

    @Override
    public Duration writeMinute(Connection tx) throws SQLException {
        NextMinute next = database.query("maintenance/next_minute")
                .with(p -> p.text(millis(limits.minute())))
                .one(tx, NextMinute::read);
        if (next.ready < 0) {
            return Duration.ofMillis(-next.ready);
        }
        boolean newest = next.ready < MINUTE_MS;
        write(tx, next.start, newest, next.pending);
        return newest ? Duration.ofMillis(MINUTE_MS - next.ready) : Duration.ZERO;
    }

    /**
     * The next minute to write.
     *
     * @param ready for how long it could have been written, in milliseconds; negative: not yet
     * @param pending whether any job waits for a node
     */
    private record NextMinute(OffsetDateTime start, long ready, boolean pending) {
        static NextMinute read(ResultSet row) throws SQLException {
            return new NextMinute(
                    row.getObject("minute", OffsetDateTime.class), row.getLong("ready_ms"), row.getBoolean("pending"));
        }
    }

    private void write(Connection tx, OffsetDateTime minute, boolean newest, boolean pending) throws SQLException {
        OffsetDateTime end = minute.plusMinutes(1);
        if (slow) {
            useManyRows(tx, false, limits.summary());
            orGiveUp(tx, () -> summarize(tx, minute));
            useManyRows(tx, false, limits.minute());
        }
        long start = System.nanoTime();
        int figures = orGiveUp(tx, () -> writeFigures(tx, minute, end));
        slow = System.nanoTime() - start > limits.slow().toNanos();
        if (figures == GAVE_UP) {
            log.warn("minute={} has no figures: its jobs could not be counted within {}", minute, limits.minute());
            useManyRows(tx, false, Limits.DEFAULT.minute());
            execute(tx, "maintenance/minute_done", end);
        }
        if (newest && (pending || figures > 0)) {
            // A backlog of many millions takes too long to count every minute: the minute then has no depth.
            useManyRows(tx, true, limits.depth());
            orGiveUp(tx, () -> countDepth(tx, minute));
        }
    }

    /** A step that counts rows. */
    @FunctionalInterface
    private interface Step {
        int run() throws SQLException;
    }

    /** Rolls the step back if it takes longer than the limit that was set. */
    private int orGiveUp(Connection tx, Step step) throws SQLException {
        Savepoint before = tx.setSavepoint();
        try {
            return step.run();
        } catch (SQLException e) {
            if (!SqlStates.timedOut(e) && !SqlStates.lockNotAvailable(e)) {
                throw e;
            }
            tx.rollback(before);
            log.debug("a step of the figures took too long", e);
            return GAVE_UP;
        }
    }

    private int summarize(Connection tx, OffsetDateTime minute) throws SQLException {
        return database.query("maintenance/call_summarize")
                .with(p -> p.time(minute))
                .one(tx, row -> row.getInt(1));
    }

    private int writeFigures(Connection tx, OffsetDateTime minute, OffsetDateTime end) throws SQLException {
        return database.query("maintenance/minute")
                .with(p -> p.time(end).time(minute).time(end).time(minute))
                .update(tx);
    }

    private int countDepth(Connection tx, OffsetDateTime minute) throws SQLException {
        execute(tx, "maintenance/depth", minute);
        execute(tx, "maintenance/no_depth", minute);
        return 0;
    }

    private void execute(Connection tx, String name, OffsetDateTime time) throws SQLException {
        database.query(name).with(p -> p.time(time)).update(tx);
    }

    private void useManyRows(Connection tx, boolean wholeTables, Duration limit) throws SQLException {
        database.query("maintenance/settings")
                .with(p -> p.text(wholeTables ? "on" : "off").text(millis(limit)))
                .run(tx);
    }

    private static String millis(Duration limit) {
        return limit.toMillis() + "ms";
    }
}
