package dev.muster.postgres.internal.cluster;

import dev.muster.cluster.NodeStatus;
import dev.muster.config.NodeRole;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.cluster.NodeStore.Joined;
import dev.muster.internal.cluster.NodeStore.Registration;
import dev.muster.internal.cluster.OtherWorkers;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobHandler;
import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the row with which a node joins, unless there are workers beside which it may not, and releases what its predecessor held. A starting
 * node waits for locks on the table of nodes.
 */
final class NodeJoin {
    private static final Logger log = LoggerFactory.getLogger(NodeJoin.class);
    private static final Duration LOCKED_LIMIT = Duration.ofSeconds(30);

    private final Database database;
    private final ControlConnection control;
    private final ReleasedJobs releases;
    private final String table;

    NodeJoin(Database database, ControlConnection control, ReleasedJobs releases) {
        this.database = database;
        this.control = control;
        this.releases = releases;
        this.table = database.schema() + ".muster_nodes";
    }

    /** See {@link NodeStore#join}. */
    Optional<Joined> join(Registration node, NodeStatus status, @Nullable UUID previous, @Nullable Instant firstAsked) {
        // A node joins again on its heartbeat thread, which must not wait here.
        Attempt attempt = previous != null
                ? joinOnce(node, status, previous, firstAsked)
                : unlessLockedForLong(
                        "node " + node.id() + " cannot join", () -> joinOnce(node, status, null, firstAsked));
        if (attempt.refused() != null) {
            throw attempt.refused();
        }
        return attempt.joined();
    }

    /** @param refused the other workers, if joining was refused; the transaction has only sent them a notification */
    private record Attempt(
            Optional<Joined> joined, @Nullable OtherWorkers refused) {}

    /** A starting node does not give up if another session holds a lock on its table for a moment. */
    <T> T unlessLockedForLong(String what, Supplier<T> statement) {
        long deadline = System.nanoTime() + LOCKED_LIMIT.toNanos();
        for (boolean said = false; ; said = true) {
            try {
                return statement.get();
            } catch (MusterException e) {
                boolean locked = e.getCause() instanceof SQLException sql && SqlStates.lockNotAvailable(sql);
                if (!locked) {
                    throw e;
                }
                if (System.nanoTime() - deadline >= 0) {
                    throw new MusterException(
                            what + ": another session has held a lock on " + table + " for " + LOCKED_LIMIT.toSeconds()
                                    + " s; pg_locks shows which",
                            e);
                }
                if (!said) {
                    log.warn("{} yet: another session holds a lock on {}; trying again", what, table);
                }
            }
        }
    }

    private Attempt joinOnce(
            Registration node, NodeStatus status, @Nullable UUID previous, @Nullable Instant firstAsked) {
        return control.inTransaction(database, connection -> {
            try (Statement statement = connection.createStatement()) {
                // A node that is declaring this node dead at this moment may have many claims to release.
                statement.execute("SET LOCAL lock_timeout = '4s'");
            }
            OtherWorkers others = otherWorkers(connection, node, firstAsked);
            if (others != null) {
                if (firstAsked == null) {
                    askForSignOfLife(connection);
                }
                return new Attempt(Optional.empty(), others);
            }
            Duration heard = null;
            OffsetDateTime heardAt = null;
            try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/predecessor"))) {
                new Params(statement).text(node.id());
                ResultSet rows = statement.executeQuery();
                if (rows.next()) {
                    heard = Duration.ofMillis(rows.getLong("age_ms"));
                    heardAt = rows.getObject("last_heartbeat", OffsetDateTime.class);
                }
            }
            NodeStatus written = write(connection, node, status, previous);
            if (written == null) {
                return new Attempt(Optional.empty(), null);
            }
            List<Recovered> released =
                    heardAt == null ? List.of() : releases.of(connection, node.id(), previous == null, heardAt, null);
            keepThresholds(connection, node);
            return new Attempt(Optional.of(new Joined(heard, released, written)), null);
        });
    }

    /** The workers beside which this one may not join. No other worker can join before this transaction ends. */
    private @Nullable OtherWorkers otherWorkers(Connection connection, Registration node, @Nullable Instant firstAsked)
            throws SQLException {
        if (node.handlers().isEmpty()) {
            return null;
        }
        database.query(node.claiming() ? "nodes/lock_single_worker_shared" : "nodes/lock_single_worker_alone")
                .run(connection);
        List<OtherWorkers.Other> others = new ArrayList<>();
        Instant asked = Instant.EPOCH;
        try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/other_workers"))) {
            ResultSet rows = new Params(statement)
                    .optionalTime(firstAsked == null ? null : firstAsked.atOffset(ZoneOffset.UTC))
                    .number(node.limits().stale().toMillis())
                    .number(node.limits().dead().toMillis())
                    .text(node.id())
                    .flag(node.claiming())
                    .query();
            while (rows.next()) {
                asked = NodeReader.instant(rows, "first");
                others.add(new OtherWorkers.Other(
                        rows.getString("id"),
                        rows.getBoolean("claiming"),
                        rows.getBoolean("leaving"),
                        rows.getBoolean("answered"),
                        Duration.ofMillis(rows.getLong("silent_ms"))));
            }
        }
        return others.isEmpty() ? null : new OtherWorkers(node.claiming(), others, asked);
    }

    /**
     * Stores the thresholds for views and for statements that declare no node dead. This comes last in its transaction, because
     * all nodes share the row. A node that only reads has no say.
     */
    private void keepThresholds(Connection connection, Registration node) throws SQLException {
        if (!node.roles().contains(NodeRole.WORKER) && !node.roles().contains(NodeRole.SCHEDULER)) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/thresholds"))) {
            new Params(statement)
                    .number(node.limits().stale().toMillis())
                    .number(node.limits().dead().toMillis());
            if (statement.executeUpdate() > 0) {
                log.info(
                        "node={} changed the thresholds in {}.muster_settings to its own: stale_ms={} dead_ms={}",
                        node.id(),
                        database.schema(),
                        node.limits().stale().toMillis(),
                        node.limits().dead().toMillis());
            }
        }
    }

    /** Sends the same notification as a joining node, after which the other nodes send a heartbeat. */
    private void askForSignOfLife(Connection connection) throws SQLException {
        database.query("wakeup/notify_at_commit")
                .with(p -> p.text("muster_" + database.schema()).text("nodes"))
                .run(connection);
    }

    /** Returns the row's status now; null if the row belongs to another incarnation. */
    private @Nullable NodeStatus write(
            Connection connection, Registration node, NodeStatus status, @Nullable UUID previous) throws SQLException {
        List<JobHandler> handlers = List.copyOf(node.handlers());
        List<Map.Entry<String, String>> labels = List.copyOf(node.labels().entrySet());
        try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/join"))) {
            new Params(statement)
                    .text(node.id())
                    .uuid(node.incarnation())
                    .text(node.name())
                    .text(status.text())
                    .number(node.heartbeatInterval().toMillis())
                    .text(node.nodeInfo())
                    .texts(node.roles().stream().map(NodeRole::text).toList())
                    .texts(node.queues())
                    .texts(node.capabilities())
                    .column("text", labels, Map.Entry::getKey)
                    .column("text", labels, Map.Entry::getValue)
                    .text(node.address())
                    .number(node.lease().toMillis())
                    .flag(node.claiming())
                    .text(node.version())
                    .text(ExecutorsColumn.of(node.routes().executors()))
                    .texts(node.routes().unrouted())
                    .text(FunctionsColumn.of(node.functions()))
                    .column("text", handlers, JobHandler::name)
                    .column("text", handlers, h -> h.lane().queue())
                    .column("text", handlers, h -> h.lane().capability())
                    .column("int2", handlers, h -> h.priority().level())
                    .column("int2", handlers, h -> h.retry().maxAttempts())
                    .column("int2", handlers, h -> h.retry().maxCrashes())
                    .column("int8", handlers, NodeJoin::timeoutMillis)
                    .column("text", handlers, h -> node.routes().executorOf().get(h.name()))
                    .column("bool", handlers, JobHandler::tenants)
                    .uuid(previous)
                    .uuid(previous)
                    .uuid(previous);
            ResultSet rows = statement.executeQuery();
            return rows.next() ? NodeStatus.stored(rows.getString(1)) : null;
        }
    }

    private static @Nullable Object timeoutMillis(JobHandler handler) {
        Duration timeout = handler.timeout();
        return timeout == null ? null : timeout.toMillis();
    }
}
