package dev.muster.postgres.internal.admission;

import dev.muster.internal.job.store.AdmissionStore.Begin;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.GroupCommit;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Asks whether jobs may begin whose group has a rate. Threads that ask at the same time share a statement. */
final class BeginningJobs {
    /** A job that may begin within this time is not put back: it would cost more than the time of its thread. */
    private static final double WAIT_MILLIS = 50;

    private final Database database;
    private final GroupCommit<String, Begin> sharedCommits = new GroupCommit<>(new SharedQuestion());

    BeginningJobs(Database database) {
        this.database = database;
    }

    Begin mayBegin(String group) {
        return sharedCommits.write(List.of(group)).get(0);
    }

    private final class SharedQuestion implements GroupCommit.Work<String, Begin> {
        /** If an earlier try has counted jobs, they are counted twice, and others begin later. */
        @Override
        public List<Begin> write(List<String> groups, boolean doubt) {
            try {
                List<Begin> begins = database.statement(connection -> send(connection, groups));
                return begins.isEmpty() ? inTransaction(groups) : begins;
            } catch (SQLException e) {
                throw DatabaseErrors.translate(e);
            }
        }

        private List<Begin> send(Connection connection, List<String> groups) throws SQLException {
            String text = database.limits(connection) + database.sql("admission/call_begin");
            try (PreparedStatement statement = Statements.prepare(connection, text)) {
                new Params(statement).texts(groups).number(WAIT_MILLIS);
                statement.execute();
                List<Begin> begins = new ArrayList<>(groups.size());
                ResultSet rows = Statements.lastResult(statement);
                while (rows.next()) {
                    begins.add(begin(rows));
                }
                return begins;
            }
        }

        /** The session's own isolation level is another one. */
        private List<Begin> inTransaction(List<String> groups) {
            Query begin = database.preparedQuery("admission/call_begin")
                    .with(p -> p.texts(groups).number(WAIT_MILLIS));
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
        public RuntimeException inDoubt(List<String> groups, RuntimeException e) {
            return e;
        }
    }
}
