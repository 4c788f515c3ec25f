package dev.muster.postgres;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore;
import dev.muster.job.JobHandler;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Nodes in PostgreSQL. A node's own row is written through the control connection, never through the job pool. */
final class PostgresNodeStore implements NodeStore {
    private final Database database;
    private final ControlLink control;
    private final String table;

    PostgresNodeStore(Database database, ControlLink control) {
        this.database = database;
        this.control = control;
        this.table = database.schema() + ".muster_nodes";
    }

    @Override
    public void join(Registration node) {
        List<JobHandler> handlers = List.copyOf(node.handlers());
        control.call(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/join"))) {
                new Params(statement)
                        .text(node.id())
                        .uuid(node.incarnation())
                        .text(node.name())
                        .number(node.heartbeatInterval().toMillis())
                        .text(node.nodeInfo())
                        .texts(node.queues())
                        .texts(node.capabilities())
                        .column("text", handlers, JobHandler::name)
                        .column("text", handlers, h -> h.lane().queue())
                        .column("text", handlers, h -> h.lane().capability())
                        .column("int2", handlers, h -> h.priority().level())
                        .column("int2", handlers, h -> h.retry().maxAttempts())
                        .column("int2", handlers, h -> h.retry().maxCrashes())
                        .column("int8", handlers, PostgresNodeStore::timeoutMillis);
                return statement.executeUpdate();
            }
        });
    }

    private static @Nullable Object timeoutMillis(JobHandler handler) {
        Duration timeout = handler.timeout();
        return timeout == null ? null : timeout.toMillis();
    }

    @Override
    public boolean heartbeat(String id, UUID incarnation, Load load) {
        String sql = "UPDATE " + table + " SET last_heartbeat = " + database.schema()
                + ".muster_clock(), current_jobs = ?, cpu_usage = ?, memory_usage = ? WHERE id = ? AND incarnation = ?";
        return control.call(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement)
                        .number(load.jobs())
                        .number(load.cpu())
                        .number(load.memory())
                        .text(id)
                        .uuid(incarnation);
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public boolean setStatus(String id, UUID incarnation, NodeStatus status) {
        String sql = "UPDATE " + table + " SET status = ? WHERE id = ? AND incarnation = ?";
        return control.call(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).text(status.text()).text(id).uuid(incarnation);
                return statement.executeUpdate() == 1;
            }
        });
    }

    @Override
    public void leave(String id, UUID incarnation) {
        control.call(connection -> {
            String sql = "DELETE FROM " + table + " WHERE id = ? AND incarnation = ?";
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).text(id).uuid(incarnation);
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public List<NodeInfo> list() {
        String sql = "SELECT id, incarnation, name, status, started_at, last_heartbeat, capabilities, current_jobs,"
                + " (date_part('epoch', heartbeat_interval) * 1000)::bigint AS interval_ms,"
                + " ARRAY (SELECT jsonb_object_keys(handlers) ORDER BY 1) AS handler_names,"
                + " (date_part('epoch', " + database.schema()
                + ".muster_clock() - last_heartbeat) * 1000)::bigint AS age_ms FROM " + table + " ORDER BY id";
        return database.inRawTransaction(connection -> {
            List<NodeInfo> nodes = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    nodes.add(new NodeInfo(
                            rows.getString("id"),
                            rows.getObject("incarnation", UUID.class),
                            Optional.ofNullable(rows.getString("name")),
                            NodeStatus.parse(rows.getString("status")),
                            rows.getObject("started_at", OffsetDateTime.class).toInstant(),
                            rows.getObject("last_heartbeat", OffsetDateTime.class)
                                    .toInstant(),
                            Duration.ofMillis(rows.getLong("age_ms")),
                            Duration.ofMillis(rows.getLong("interval_ms")),
                            strings(rows.getArray("capabilities")),
                            strings(rows.getArray("handler_names")),
                            rows.getInt("current_jobs")));
                }
            }
            return nodes;
        });
    }

    private static List<String> strings(Array array) throws SQLException {
        return List.of((String[]) array.getArray());
    }

    @Override
    public Map<String, Published> published(@Nullable Connection connection) {
        if (connection == null) {
            return database.inRawTransaction(this::readPublished);
        }
        try {
            return readPublished(connection);
        } catch (SQLException e) {
            throw Database.translate(e);
        }
    }

    private Map<String, Published> readPublished(Connection connection) throws SQLException {
        Map<String, Published> handlers = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/published"))) {
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                long timeout = rows.getLong("timeout_ms");
                Duration limit = rows.wasNull() ? null : Duration.ofMillis(timeout);
                handlers.put(
                        rows.getString("name"),
                        new Published(
                                new Lane(rows.getString("queue"), rows.getString("capability")),
                                Priority.ofLevel(rows.getInt("priority")),
                                rows.getInt("max_attempts"),
                                rows.getInt("max_crashes"),
                                limit));
            }
        }
        return handlers;
    }
}
