package dev.muster.postgres.internal.cluster;

import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.NodeRole;
import dev.muster.job.HandlerInfo;
import dev.muster.job.JobOptions;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.db.Database;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Reads what nodes say of themselves in their rows, and who leads: for lists, and for decisions on a connection that the caller chooses. */
final class NodeReader {
    private final Database database;

    NodeReader(Database database) {
        this.database = database;
    }

    List<NodeInfo> nodes(Connection connection) throws SQLException {
        List<NodeInfo> nodes = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/list"))) {
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                nodes.add(node(rows));
            }
        }
        return nodes;
    }

    private static NodeInfo node(ResultSet rows) throws SQLException {
        Array queues = rows.getArray("queues");
        return new NodeInfo(
                rows.getString("id"),
                rows.getObject("incarnation", UUID.class),
                Optional.ofNullable(rows.getString("name")),
                NodeStatus.stored(rows.getString("status")),
                NodeStatus.stored(rows.getString("verdict")),
                roles(rows.getArray("roles")),
                Optional.ofNullable(rows.getString("address")),
                instant(rows, "started_at"),
                instant(rows, "last_heartbeat"),
                Duration.ofMillis(rows.getLong("age_ms")),
                Duration.ofMillis(rows.getLong("interval_ms")),
                queues == null ? Optional.empty() : Optional.of(strings(queues)),
                strings(rows.getArray("capabilities")),
                labels(rows),
                strings(rows.getArray("handler_names")),
                FunctionsColumn.read(rows.getString("functions")),
                ExecutorsColumn.read(rows),
                strings(rows.getArray("unrouted")),
                rows.getInt("current_connections"),
                rows.getInt("current_jobs"),
                rows.getDouble("cpu_usage"),
                rows.getLong("memory_usage"),
                Optional.ofNullable(rows.getString("version")));
    }

    private static Set<NodeRole> roles(Array array) throws SQLException {
        Set<NodeRole> roles = EnumSet.noneOf(NodeRole.class);
        for (String role : strings(array)) {
            NodeRole.find(role).ifPresent(roles::add);
        }
        return roles;
    }

    private static Map<String, String> labels(ResultSet rows) throws SQLException {
        List<String> keys = strings(rows.getArray("label_keys"));
        List<String> values = strings(rows.getArray("label_values"));
        Map<String, String> labels = new TreeMap<>();
        for (int i = 0; i < keys.size(); i++) {
            labels.put(keys.get(i), values.get(i));
        }
        return Collections.unmodifiableMap(labels);
    }

    private static List<String> strings(Array array) throws SQLException {
        return List.of((String[]) array.getArray());
    }

    static Instant instant(ResultSet rows, String column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }

    List<LeaderInfo> leaders(Connection connection) throws SQLException {
        return database.query("nodes/leaders")
                .list(
                        connection,
                        row -> new LeaderInfo(
                                row.getString("role"),
                                Optional.ofNullable(row.getString("node_id")),
                                row.getLong("term"),
                                row.getLong("timeline"),
                                instant(row, "since"),
                                instant(row, "expires_at"),
                                row.getBoolean("expired")));
    }

    /** By their names. */
    Map<String, HandlerInfo> handlers(Connection connection) throws SQLException {
        Map<String, HandlerInfo> handlers = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(database.sql("nodes/published_handlers"))) {
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                long timeout = rows.getLong("timeout_ms");
                Duration limit = rows.wasNull() ? null : Duration.ofMillis(timeout);
                JobOptions options = new JobOptions(
                        rows.getString("queue"),
                        rows.getString("capability"),
                        Priority.ofLevel(rows.getInt("priority")),
                        rows.getInt("max_attempts"),
                        rows.getInt("max_crashes"),
                        limit);
                handlers.put(rows.getString("name"), new HandlerInfo(options, rows.getBoolean("tenants")));
            }
        }
        return handlers;
    }
}
