package dev.muster.cli.internal.demo;

import dev.muster.job.JobId;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the tables directly, without Muster's own code. */
final class Ledger implements AutoCloseable {
    /** Selects the demo's jobs: the example's cron may tick meanwhile. */
    private static final String OWN = "name <> 'hourly_report'";

    /** The effects of the orders. */
    private static final String CHECKOUTS = "example_checkouts";

    /** Those among them that do not drive an order's workflow. */
    private static final String JOBS = OWN + " AND name NOT LIKE 'workflow:%'";

    /** Shorter than nodes wait for a lock. */
    private static final Duration LONGEST_HOLD = Duration.ofSeconds(5);

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final Connection connection;
    /** Has a transaction while orders are held. */
    private final Connection holder;

    private boolean holds;
    private long heldSince;

    Ledger(String url) {
        try {
            connection = DriverManager.getConnection(url);
            holder = DriverManager.getConnection(url);
            holder.setAutoCommit(false);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** How many jobs and orders have ended, and how many have not. */
    record Counts(int ended, int live, int liveOrders) {}

    /** The leader according to its row. */
    record Leader(String node, Instant since) {}

    /** The accepted outcome of a job. */
    record Ending(
            String status,
            @Nullable String node,
            Instant created,
            @Nullable Instant started,
            Instant finished) {}

    /**
     * What an order has left in the database.
     *
     * @param status of its run
     * @param effects the rows that its steps and compensations have added to the example's table, oldest first
     */
    record Order(String status, String effects) {
        static final Order SHIPPED = new Order("completed", "reserve charge ship");
        static final Order UNDONE = new Order("compensated", "reserve charge refund release");
    }

    /** @param duplicates how many outcomes and effects exist more than once */
    record Account(Map<JobId, Ending> endings, int duplicates) {}

    Counts counts() {
        return read(statement -> {
            ResultSet rows = statement.executeQuery("SELECT (SELECT count(*) FROM muster_job_history WHERE " + OWN
                    + "), count(*), count(*) FILTER (WHERE name LIKE 'workflow:%') FROM muster_jobs WHERE " + OWN);
            rows.next();
            return new Counts(rows.getInt(1), rows.getInt(2), rows.getInt(3));
        });
    }

    /** The jobs that nodes have claimed, whether started or not, by node. */
    Map<String, Set<JobId>> held() {
        return read(statement -> {
            Map<String, Set<JobId>> held = new HashMap<>();
            ResultSet rows = statement.executeQuery(
                    "SELECT node_id, id FROM muster_jobs WHERE status IN ('claimed', 'running')");
            while (rows.next()) {
                held.computeIfAbsent(rows.getString(1), node -> new HashSet<>())
                        .add(JobId.of(rows.getObject(2, UUID.class)));
            }
            return held;
        });
    }

    /**
     * From now on no order has another effect, so none can end, until they are released; after some seconds they are released by the next call.
     *
     * @return whether they are held; not before an order has had an effect
     */
    boolean holdOrders() {
        if (holds && System.nanoTime() - heldSince > LONGEST_HOLD.toNanos()) {
            releaseOrders();
            return false;
        }
        if (!holds) {
            try (Statement statement = holder.createStatement()) {
                if (exists(statement, CHECKOUTS)) {
                    statement.execute("SET LOCAL lock_timeout = '1s'");
                    statement.execute("LOCK TABLE " + CHECKOUTS + " IN SHARE MODE");
                    holds = true;
                    heldSince = System.nanoTime();
                }
            } catch (SQLException e) {
                if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                    throw unreadable(e);
                }
            } finally {
                if (!holds) {
                    releaseOrders();
                }
            }
        }
        return holds;
    }

    void releaseOrders() {
        try {
            holder.rollback();
            holds = false;
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    /** The scheduler leader, and since when it leads. */
    Optional<Leader> leader() {
        return read(statement -> {
            ResultSet rows = statement.executeQuery("SELECT node_id, since FROM muster_leaders"
                    + " WHERE role = 'scheduler' AND node_id IS NOT NULL AND expires_at > clock_timestamp()");
            return rows.next() ? Optional.of(new Leader(rows.getString(1), instant(rows, 2))) : Optional.empty();
        });
    }

    Account account() {
        return read(statement -> {
            Map<JobId, Ending> endings = new HashMap<>();
            int duplicates = 0;
            ResultSet rows = statement.executeQuery(
                    "SELECT id, status, node_id, created_at, started_at, finished_at FROM muster_job_history WHERE "
                            + JOBS);
            while (rows.next()) {
                JobId id = JobId.of(rows.getObject(1, UUID.class));
                Ending ending = new Ending(
                        rows.getString(2),
                        rows.getString(3),
                        instant(rows, 4),
                        nullableInstant(rows, 5),
                        instant(rows, 6));
                duplicates += endings.put(id, ending) == null ? 0 : 1;
            }
            return new Account(endings, duplicates + endedAndLive(statement) + effectsTwice(statement));
        });
    }

    Map<JobId, Order> orders() {
        return read(statement -> {
            String effects = exists(statement, CHECKOUTS)
                    ? "(SELECT string_agg(c.effect, ' ' ORDER BY c.id) FROM " + CHECKOUTS + " c WHERE c.run_id = r.id)"
                    : "NULL";
            Map<JobId, Order> orders = new HashMap<>();
            ResultSet rows = statement.executeQuery(
                    "SELECT r.id, r.status, coalesce(" + effects + ", '') FROM muster_workflow_runs r");
            while (rows.next()) {
                orders.put(JobId.of(rows.getObject(1, UUID.class)), new Order(rows.getString(2), rows.getString(3)));
            }
            return orders;
        });
    }

    private static int endedAndLive(Statement statement) throws SQLException {
        return number(statement, "SELECT count(*) FROM muster_jobs JOIN muster_job_history USING (id)");
    }

    /** The example's "count" adds a row per job in the transaction that completes it. */
    private static int effectsTwice(Statement statement) throws SQLException {
        return exists(statement, "example_counts")
                ? number(statement, "SELECT count(*) - count(DISTINCT key) FROM example_counts")
                : 0;
    }

    /** The examples create their tables when they first need them. */
    private static boolean exists(Statement statement, String table) throws SQLException {
        return number(statement, "SELECT count(to_regclass('" + table + "'))") > 0;
    }

    private static int number(Statement statement, String sql) throws SQLException {
        ResultSet rows = statement.executeQuery(sql);
        rows.next();
        return rows.getInt(1);
    }

    private static Instant instant(ResultSet rows, int column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable Instant nullableInstant(ResultSet rows, int column) throws SQLException {
        OffsetDateTime time = rows.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private interface Query<T> {
        T run(Statement statement) throws SQLException;
    }

    private <T> T read(Query<T> query) {
        try (Statement statement = connection.createStatement()) {
            return query.run(statement);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    private static DatabaseUnavailable unreadable(SQLException e) {
        return new DatabaseUnavailable("the demo's database cannot be read: " + e.getMessage(), e);
    }

    @Override
    public void close() {
        try {
            holder.close();
            connection.close();
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }
}
