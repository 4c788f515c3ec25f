package dev.muster.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes room in history and takes old days away. */
final class Retention {
    private static final Logger log = LoggerFactory.getLogger(Retention.class);
    private static final int DAYS_AHEAD = 7;
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final Database database;

    Retention(Database database) {
        this.database = database;
    }

    void prepareDays() {
        database.inRawTransaction(connection -> {
            String sql = "SELECT " + database.schema() + ".muster_prepare_history(?)";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).number(DAYS_AHEAD);
                statement.execute();
                return null;
            }
        });
    }

    /** False if a reader or writer was in the way of one. */
    boolean dropOldDays(Duration historyRetain, Duration logRetain) {
        return dropOldDays("muster_job_history", historyRetain) & dropOldDays("muster_job_logs", logRetain);
    }

    private boolean dropOldDays(String table, Duration retain) {
        try {
            Optional<String> dropped;
            do {
                dropped = dropOldest(table, retain);
                dropped.ifPresent(day -> log.info("dropped history day={}", day));
            } while (dropped.isPresent());
            return true;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return false;
            }
            throw Database.translate(e);
        }
    }

    private Optional<String> dropOldest(String table, Duration retain) throws SQLException {
        return database.once(connection -> {
            String sql = "SELECT " + database.schema() + ".muster_drop_day(?, ? * interval '1 millisecond')";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).text(table).number(retain.toMillis());
                ResultSet rows = statement.executeQuery();
                rows.next();
                return Optional.ofNullable(rows.getString(1));
            }
        });
    }

    /** Forgets keys in batches, so that no transaction gets long. */
    int forgetKeys(Duration retain) {
        int forgotten = 0;
        int last;
        do {
            last = database.inRawTransaction(connection -> {
                try (PreparedStatement statement = connection.prepareStatement(database.sql("jobs/forget_keys"))) {
                    new Params(statement).number(retain.toMillis()).number(retain.toMillis());
                    return statement.executeUpdate();
                }
            });
            forgotten += last;
        } while (last > 0);
        return forgotten;
    }
}
