package dev.muster.postgres;

import dev.muster.upkeep.UpkeepStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes old days away and writes figures, in PostgreSQL. */
final class PostgresUpkeepStore implements UpkeepStore {
    private static final Logger log = LoggerFactory.getLogger(PostgresUpkeepStore.class);
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final long MINUTE_MS = 60_000;

    private final Database database;

    PostgresUpkeepStore(Database database) {
        this.database = database;
    }

    @Override
    public Dropped dropOldestDay(Connection tx, Days of, Duration retain) throws SQLException {
        String sql = "SELECT " + database.schema() + ".muster_drop_day(?, ? * interval '1 millisecond')";
        Savepoint before = tx.setSavepoint();
        try (PreparedStatement statement = tx.prepareStatement(sql)) {
            new Params(statement).text(table(of)).number(retain.toMillis());
            ResultSet rows = statement.executeQuery();
            rows.next();
            String dropped = rows.getString(1);
            if (dropped != null) {
                log.info("dropped day={}", dropped);
            }
            return dropped == null ? Dropped.NONE : Dropped.ONE;
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
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
            case METRICS -> "muster_metrics";
        };
    }

    /** In batches, so that no transaction gets long. */
    @Override
    public int forgetKeys(Connection tx, Duration retain) throws SQLException {
        useManyRows(tx, true);
        try (PreparedStatement statement = tx.prepareStatement(database.sql("jobs/forget_keys"))) {
            new Params(statement).number(retain.toMillis()).number(retain.toMillis());
            return statement.executeUpdate();
        }
    }

    @Override
    public Duration writeMinute(Connection tx) throws SQLException {
        OffsetDateTime minute;
        long ready;
        boolean pending;
        try (PreparedStatement statement = tx.prepareStatement(database.sql("upkeep/next_minute"))) {
            ResultSet rows = statement.executeQuery();
            rows.next();
            minute = rows.getObject("minute", OffsetDateTime.class);
            ready = rows.getLong("ready_ms");
            pending = rows.getBoolean("pending");
        }
        if (ready < 0) {
            return Duration.ofMillis(-ready);
        }
        boolean newest = ready < MINUTE_MS;
        write(tx, minute, newest, pending);
        return newest ? Duration.ofMillis(MINUTE_MS - ready) : Duration.ZERO;
    }

    private void write(Connection tx, OffsetDateTime minute, boolean newest, boolean pending) throws SQLException {
        useManyRows(tx, false);
        OffsetDateTime end = minute.plusMinutes(1);
        int figures;
        try (PreparedStatement statement = tx.prepareStatement(database.sql("upkeep/minute"))) {
            new Params(statement).time(minute).time(end).time(minute);
            figures = statement.executeUpdate();
        }
        if (newest && (pending || figures > 0)) {
            countDepth(tx, minute);
        }
        execute(tx, "upkeep/minute_done", end);
    }

    /** A backlog of many millions takes too long to count every minute: the minute then goes without this figure. */
    private void countDepth(Connection tx, OffsetDateTime minute) throws SQLException {
        Savepoint before = tx.setSavepoint();
        try {
            useManyRows(tx, true);
            limit(tx, "5s");
            execute(tx, "upkeep/depth", minute);
            execute(tx, "upkeep/no_depth", minute);
            tx.releaseSavepoint(before);
        } catch (SQLException e) {
            if (!"57014".equals(e.getSQLState())) {
                throw e;
            }
            tx.rollback(before);
            log.debug("the backlog is too long to be counted", e);
        }
        limit(tx, "30s");
    }

    private static void limit(Connection tx, String time) throws SQLException {
        try (PreparedStatement statement =
                tx.prepareStatement("SELECT set_config('statement_timeout', '" + time + "', true)")) {
            statement.execute();
        }
    }

    private void execute(Connection tx, String sql, OffsetDateTime time) throws SQLException {
        try (PreparedStatement statement = tx.prepareStatement(database.sql(sql))) {
            new Params(statement).time(time);
            statement.executeUpdate();
        }
    }

    private void useManyRows(Connection tx, boolean wholeTables) throws SQLException {
        try (PreparedStatement statement = tx.prepareStatement(database.sql("upkeep/settings"))) {
            new Params(statement).text(wholeTables ? "on" : "off");
            statement.execute();
        }
    }
}
