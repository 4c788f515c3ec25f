package dev.muster.chaos;

import dev.muster.job.JobId;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Points in the execution of a run at which it stands still until its process is killed, or the test lets it continue. A test says at which
 * point a run is to stop, and sees which node has come there. A run stops at each of its points once: the next node passes it.
 */
final class StopPoints {
    private final Connection connection;
    private final String node;

    /** @param url of the database in which the points are stored */
    StopPoints(String url, String node) {
        this.node = node;
        try {
            connection = DriverManager.getConnection(url);
        } catch (SQLException e) {
            throw new IllegalStateException("the points cannot be read", e);
        }
    }

    /** Makes the table; once per database. */
    static void prepare(TestDatabase database) {
        database.execute("CREATE TABLE stop_points (run uuid, point text, node text, released boolean NOT NULL"
                + " DEFAULT false, passed boolean NOT NULL DEFAULT false, PRIMARY KEY (run, point))");
    }

    /** From now on the run stops at this point. */
    static void stop(TestDatabase database, JobId run, String point) {
        database.execute("INSERT INTO stop_points (run, point) VALUES ('" + run + "', '" + point + "')");
    }

    /** The points to which runs have yet to come. */
    static List<String> expected(TestDatabase database) {
        return database.column("SELECT point || ' of run ' || run FROM stop_points WHERE node IS NULL");
    }

    /** Lets all runs that stand still continue. */
    static void release(TestDatabase database) {
        database.execute("UPDATE stop_points SET released = true");
    }

    /** All runs stop at their points once more. */
    static void stopAgain(TestDatabase database) {
        database.execute("UPDATE stop_points SET node = NULL, released = false, passed = false");
    }

    /** How many runs are still standing. */
    static long standing(TestDatabase database) {
        return database.number("SELECT count(*) FROM stop_points WHERE NOT passed");
    }

    /** Called when a run comes to a point; returns at once unless it is to stop there. */
    void reach(JobId run, String point) {
        if (update("SET node = '" + node + "' WHERE node IS NULL", run, point)) {
            standStill(run, point);
        }
    }

    private synchronized boolean update(String change, JobId run, String point) {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE stop_points " + change + " AND run = ? AND point = ?")) {
            update.setObject(1, run.value());
            update.setString(2, point);
            return update.executeUpdate() == 1;
        } catch (SQLException e) {
            throw new IllegalStateException("point '" + point + "' of run " + run + " cannot be read", e);
        }
    }

    /** Interruption does not end it: the process is to die, or to be seen, exactly here. */
    private void standStill(JobId run, String point) {
        boolean interrupted = false;
        while (!update("SET passed = true WHERE released", run, point)) {
            try {
                TimeUnit.MILLISECONDS.sleep(200);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
