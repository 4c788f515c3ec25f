package dev.muster.examples;

import dev.muster.job.Job;
import dev.muster.job.JobContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Effects that happen exactly once: the row and the job's completion commit together. */
public final class Counts {
    private final DataSource database;
    private volatile boolean tableReady;

    /**
     * @param holdMs how long to keep the transaction open before the commit; 0 unless given
     */
    public record Count(String key, Long holdMs) {}

    public record Counted(String key, long count) {}

    public Counts(DataSource database) {
        this.database = database;
    }

    /** Adds a row to {@code example_counts}, in the transaction that completes the job. */
    @Job("count")
    Counted count(JobContext ctx, Count args) throws SQLException, InterruptedException {
        prepareTable();
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                insert(connection, ctx, args);
                Counted counted = new Counted(args.key(), countOf(connection, args.key()));
                ctx.completeIn(connection, counted);
                if (args.holdMs() != null) {
                    Thread.sleep(args.holdMs());
                }
                connection.commit();
                return counted;
            } catch (SQLException | RuntimeException | InterruptedException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    private static void insert(Connection connection, JobContext ctx, Count args) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO example_counts (key, job_id, token) VALUES (?, ?, ?)")) {
            insert.setString(1, args.key());
            insert.setObject(2, ctx.id().value());
            insert.setLong(3, ctx.fence().token());
            insert.executeUpdate();
        }
    }

    private static long countOf(Connection connection, String key) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT count(*) FROM example_counts WHERE key = ?")) {
            select.setString(1, key);
            ResultSet rows = select.executeQuery();
            rows.next();
            return rows.getLong(1);
        }
    }

    /** Nodes may start together: the lock lets one of them create the table while the others wait. */
    private void prepareTable() throws SQLException {
        if (tableReady) {
            return;
        }
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_xact_lock(7239045)");
                statement.execute("CREATE TABLE IF NOT EXISTS example_counts (id bigint GENERATED ALWAYS AS IDENTITY,"
                        + " key text NOT NULL, job_id uuid NOT NULL, token bigint NOT NULL,"
                        + " counted_at timestamptz NOT NULL DEFAULT now())");
            }
            connection.commit();
        }
        tableReady = true;
    }
}
