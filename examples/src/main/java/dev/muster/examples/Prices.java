package dev.muster.examples;

import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.Misfire;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/** The shop's prices: a feed that one node keeps up to date, and a report about it every hour. */
public final class Prices {

    /** Moves the price once a second. A feed that lost its place to another node cannot write: its fence is lower. */
    @Daemon
    void priceFeed(DaemonContext ctx) throws SQLException {
        prepareTables(ctx.connection());
        while (!ctx.awaitShutdown(Duration.ofSeconds(1))) {
            try (Connection connection = ctx.connection();
                    PreparedStatement update = connection.prepareStatement(
                            "UPDATE example_price SET cents = 100 + (cents + 7) % 900, timeline = ?, token = ?,"
                                    + " updated_at = now() WHERE (timeline, token) <= (?, ?)")) {
                update.setLong(1, ctx.fence().timeline());
                update.setLong(2, ctx.fence().token());
                update.setLong(3, ctx.fence().timeline());
                update.setLong(4, ctx.fence().token());
                update.executeUpdate();
            }
        }
    }

    /** Writes the price of the hour, in the transaction that completes the job: one row per tick, however often it is tried. */
    @Cron(value = "0 * * * *", misfire = Misfire.CATCH_UP, catchUpLimit = 24)
    void hourlyReport(CronContext ctx) throws SQLException {
        prepareTables(ctx.connection());
        try (Connection connection = ctx.connection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO example_reports (tick, catch_up, cents) SELECT ?, ?, cents FROM example_price")) {
                insert.setObject(1, OffsetDateTime.ofInstant(ctx.tick(), ZoneOffset.UTC));
                insert.setBoolean(2, ctx.isCatchUp());
                insert.executeUpdate();
                ctx.completeIn(connection);
                connection.commit();
            } catch (SQLException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        }
    }

    /** Nodes may start together: the lock lets one of them create the tables while the others wait. */
    private static void prepareTables(Connection fresh) throws SQLException {
        try (Connection connection = fresh;
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock(7239046)");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS example_price (cents bigint NOT NULL, timeline bigint NOT NULL,"
                            + " token bigint NOT NULL, updated_at timestamptz NOT NULL DEFAULT now())");
            statement.execute("INSERT INTO example_price (cents, timeline, token) SELECT 100, 0, 0"
                    + " WHERE NOT EXISTS (SELECT FROM example_price)");
            statement.execute("CREATE TABLE IF NOT EXISTS example_reports (tick timestamptz NOT NULL,"
                    + " catch_up boolean NOT NULL, cents bigint NOT NULL)");
            connection.commit();
            connection.setAutoCommit(true);
        }
    }
}
