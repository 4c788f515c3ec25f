package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Only the leader's writes are committed, and a leader that was replaced meanwhile writes nothing. Other nodes get an
 * exception.
 *
 * <pre>
 * leader: rows written: 1
 * other node: StaleLeader
 * </pre>
 */
final class LeaderWrites implements Example {

    private static int writePrice(Leadership scheduler) {
        int rows = scheduler.fenced(tx -> {
            try (Statement statement = tx.createStatement()) {
                return statement.executeUpdate("INSERT INTO prices VALUES (199)");
            }
        });
        return rows;
    }

    @Override
    public void run(DataSource database, PrintStream out) throws SQLException, InterruptedException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE prices (cents bigint)");
        }
        try (Muster one = Muster.builder().dataSource(database).build();
                Muster two = Muster.builder().dataSource(database).build()) {
            one.start();
            Leadership scheduler = one.leadership(LeaderRole.SCHEDULER);
            while (!scheduler.isLeader()) { // a node that has just started needs a moment to be elected
                Thread.sleep(10);
            }
            two.start();
            out.println("leader: rows written: " + writePrice(scheduler));
            try {
                writePrice(two.leadership(LeaderRole.SCHEDULER));
            } catch (StaleLeader e) {
                out.println("other node: " + e.getClass().getSimpleName());
            }
        }
    }
}
