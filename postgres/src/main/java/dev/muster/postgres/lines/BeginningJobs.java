package dev.muster.postgres.lines;

import dev.muster.job.store.LineStore.Begin;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.DatabaseErrors;
import dev.muster.postgres.db.GroupCommit;
import dev.muster.postgres.db.Params;
import dev.muster.postgres.db.Query;
import dev.muster.postgres.db.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Asks whether jobs may begin whose line has a rate. Threads that ask at the same time share a statement. */
final class BeginningJobs {
    /** A job that may begin within this time is not put back: it would cost more than the time of its thread. */
    private static final double WAIT_MILLIS = 50;

    private final Database database;
    private final GroupCommit<String, Begin> group = new GroupCommit<>(new SharedQuestion());

    BeginningJobs(Database database) {
        this.database = database;
    }

    Begin mayBegin(String line) {
        return group.write(List.of(line)).get(0);
    }

    private final class SharedQuestion implements GroupCommit.Work<String, Begin> {
        /** If an earlier try has counted jobs, they are counted twice, and others begin later. */
        @Override
        public List<Begin> write(List<String> lines, boolean doubt) {
            try {
                List<Begin> begins = database.statement(connection -> send(connection, lines));
                return begins.isEmpty() ? inTransaction(lines) : begins;
            } catch (SQLException e) {
                throw DatabaseErrors.translate(e);
            }
        }

        private List<Begin> send(Connection connection, List<String> lines) throws SQLException {
            String text = database.limits(connection) + database.sql("lines/begin");
            try (PreparedStatement statement = Statements.prepare(connection, text)) {
                new Params(statement).texts(lines).number(WAIT_MILLIS);
                statement.execute();
                List<Begin> begins = new ArrayList<>(lines.size());
                ResultSet rows = Statements.lastResult(statement);
                while (rows.next()) {
                    begins.add(begin(rows));
                }
                return begins;
            }
        }

        /** The session's own isolation level is another one. */
        private List<Begin> inTransaction(List<String> lines) {
            Query begin = database.preparedQuery("lines/begin")
                    .with(p -> p.texts(lines).number(WAIT_MILLIS));
            return database.inRawTransaction(connection -> begin.list(connection, SharedQuestion::begin));
        }

        private static Begin begin(ResultSet row) throws SQLException {
            return new Begin(Duration.ofMillis(row.getLong("wait_ms")), row.getBoolean("later"));
        }

        @Override
        public boolean leavesDoubt(RuntimeException e) {
            return false;
        }

        @Override
        public RuntimeException inDoubt(List<String> lines, RuntimeException e) {
            return e;
        }
    }
}
