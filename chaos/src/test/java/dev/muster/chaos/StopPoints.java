package dev.muster.chaos;

import dev.muster.job.JobId;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * Points in the execution of a run at which it stands still until its process is killed. A test says at which point a run is to stop, and
 * sees which node has come there. A run stops at each of its points once: the next node passes it.
 */
final class StopPoints {
    private final Connection connection;

    /** @param url of the database in which the points are stored */
    StopPoints(String url) {
        try {
            connection = DriverManager.getConnection(url);
        } catch (SQLException e) {
            throw new IllegalStateException("the points cannot be read", e);
        }
    }

    /** Makes the table; once per database. */
    static void prepare(TestDatabase database) {
        database.execute("CREATE TABLE stop_points (run uuid, point text, node text, PRIMARY KEY (run, point))");
    }

    /** From now on the run stops at this point. */
    static void stop(TestDatabase database, JobId run, String point) {
        database.execute("INSERT INTO stop_points (run, point) VALUES ('" + run + "', '" + point + "')");
    }

    /** How many runs have yet to come to their points. */
    static long expected(TestDatabase database) {
        return database.number("SELECT count(*) FROM stop_points WHERE node IS NULL");
    }

    /** Called when a run comes to a point; does not return if it is to stop there. */
    void reach(JobId run, String point) {
        if (stopsAt(run, point)) {
            standStill();
        }
    }

    private synchronized boolean stopsAt(JobId run, String point) {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE stop_points SET node = ? WHERE run = ? AND point = ? AND node IS NULL")) {
            update.setString(1, NodeMain.nodeId());
            update.setObject(2, run.value());
            update.setString(3, point);
            return update.executeUpdate() == 1;
        } catch (SQLException e) {
            throw new IllegalStateException("point '" + point + "' of run " + run + " cannot be read", e);
        }
    }

    /** Interruption does not end it either: the process is to die exactly here. */
    @SuppressWarnings("InfiniteLoopStatement")
    private static void standStill() {
        while (true) {
            try {
                TimeUnit.SECONDS.sleep(1);
            } catch (InterruptedException e) {
                // It stays.
            }
        }
    }
}
