package dev.muster.postgres.cluster;

import dev.muster.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore;
import dev.muster.cluster.OtherWorkers;
import dev.muster.config.NodeRole;
import dev.muster.job.HandlerInfo;
import dev.muster.job.JobHandler;
import dev.muster.job.JobOptions;
import dev.muster.job.LineLimit;
import dev.muster.job.Priority;
import dev.muster.job.store.RecoveryStore.Recovered;
import dev.muster.postgres.db.ControlConnection;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.DatabaseErrors;
import dev.muster.postgres.db.Params;
import dev.muster.postgres.db.Query;
import dev.muster.postgres.db.Readers;
import dev.muster.postgres.db.SqlStates;
import dev.muster.postgres.db.Statements;
import dev.muster.postgres.lines.LineFloor;
import dev.muster.postgres.lines.PostgresLineStore;
import dev.muster.postgres.recovery.RecoveredRows;
import dev.muster.postgres.recovery.SweepFloors;
import dev.muster.runtime.MusterException;
import java.sql.Array;
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
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Nodes in PostgreSQL. A node's own row is written through the control connection, never through the job pool. */
public final class PostgresNodeStore implements NodeStore {
    private static final Logger log = LoggerFactory.getLogger(PostgresNodeStore.class);
    private static final Duration LOCKED_LIMIT = Duration.ofSeconds(30);

    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);

    private final Database database;
    private final Readers readers;
    private final ControlConnection control;
    private final SweepFloors floors;
    private final LineFloor lines;
    private final String table;

    public PostgresNodeStore(
            Database database, Readers readers, ControlConnection control, SweepFloors floors, LineFloor lines) {
        this.database = database;
        this.readers = readers;
        this.control = control;
        this.floors = floors;
        this.lines = lines;
        this.table = database.schema() + ".muster_nodes";
    }

    @Override
    public Optional<Joined> join(
            Registration node, NodeStatus status, @Nullable UUID previous, @Nullable Instant firstAsked) {
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
    private <T> T unlessLockedForLong(String what, Supplier<T> statement) {
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
                    heardAt == null ? List.of() : release(connection, node.id(), previous == null, heardAt, null);
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
                asked = instant(rows, "first");
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
                    .column("int8", handlers, PostgresNodeStore::timeoutMillis)
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

    /**
     * @param blamed whether running jobs died with their node
     * @param heard when the node sent its last heartbeat
     * @param sweptTo where the sweep of leases starts, in microseconds, if this node sweeps them
     */
    private List<Recovered> release(
            Connection connection, String node, boolean blamed, OffsetDateTime heard, @Nullable Long sweptTo)
            throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, database.sql("jobs/requeue_of_node"))) {
            return RecoveredRows.read(new Params(statement)
                    .text(node)
                    .flag(blamed)
                    .text(heard.toString())
                    .optional(sweptTo)
                    .query());
        }
    }

    @Override
    public HeartbeatAnswer heartbeat(
            String id, UUID incarnation, Load load, Duration interval, SinceLastHeartbeat since) {
        return control.call(
                new LeaderPoll.Heartbeat(database.sql("nodes/heartbeat"), id, incarnation, load, interval, since));
    }

    @Override
    public boolean move(String id, UUID incarnation, Set<NodeStatus> from, NodeStatus to) {
        return to == NodeStatus.ACTIVE
                ? unlessLockedForLong("node " + id + " cannot become active", () -> moveOnce(id, incarnation, from, to))
                : moveOnce(id, incarnation, from, to);
    }

    private boolean moveOnce(String id, UUID incarnation, Set<NodeStatus> from, NodeStatus to) {
        Query move = database.query("nodes/change_status")
                .with(p -> p.text(to.text())
                        .text(id)
                        .uuid(incarnation)
                        .texts(from.stream().map(NodeStatus::text).toList()));
        return control.call(connection -> move.update(connection) == 1);
    }

    @Override
    public List<Recovered> leave(String id, UUID incarnation) {
        Query leave = database.query("nodes/leave").with(p -> p.text(id).uuid(incarnation));
        return control.inTransaction(database, connection -> {
            Optional<OffsetDateTime> heard = leave.first(connection, row -> row.getObject(1, OffsetDateTime.class));
            return heard.isPresent() ? release(connection, id, false, heard.get(), null) : List.of();
        });
    }

    @Override
    public boolean drain(String id) {
        Query drain = database.query("nodes/drain").with(p -> p.text(id));
        return database.inRawTransaction(connection -> drain.update(connection) == 1);
    }

    @Override
    public OverdueWork overdueWork(String observer, SilenceLimits limits) {
        return control.call(new LeaderPoll.Due(database.sql("nodes/overdue_work"), observer, limits, floors, lines));
    }

    @Override
    public OverdueNode markOverdue(Connection tx, String observer, SilenceLimits limits, String node)
            throws SQLException {
        MarkedNode marked;
        OffsetDateTime heard;
        try (PreparedStatement statement = Statements.prepare(tx, database.sql("nodes/mark_overdue"))) {
            ResultSet rows = new Params(statement)
                    .text(observer)
                    .number(limits.fresh().toMillis())
                    .number(limits.stale().toMillis())
                    .number(limits.dead().toMillis())
                    .text(node)
                    .query();
            if (!rows.next()) {
                return new OverdueNode(Optional.empty(), List.of());
            }
            marked = new MarkedNode(
                    rows.getString("id"),
                    rows.getObject("incarnation", UUID.class),
                    NodeStatus.stored(rows.getString("before")),
                    NodeStatus.stored(rows.getString("status")),
                    Duration.ofMillis(rows.getLong("silent_ms")));
            heard = rows.getObject("last_heartbeat", OffsetDateTime.class);
        }
        return new OverdueNode(
                Optional.of(marked),
                marked.now() == NodeStatus.DEAD ? release(tx, node, true, heard, floors.leases()) : List.of());
    }

    @Override
    public List<String> removeDead(Connection tx) throws SQLException {
        List<String> removed = new ArrayList<>();
        try (PreparedStatement statement = Statements.prepare(tx, database.sql("nodes/remove_dead"))) {
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                removed.add(rows.getString(1));
            }
        }
        return removed;
    }

    @Override
    public List<NodeInfo> list() {
        return readers.asPlanned(LIST_LIMIT, this::readNodes);
    }

    /** The nodes that publish functions, for a node that forwards calls to them. */
    public List<NodeInfo> listWithFunctions() {
        return database.readingRaw(this::readNodes).stream()
                .filter(node -> !node.functions().isEmpty())
                .toList();
    }

    private List<NodeInfo> readNodes(Connection connection) throws SQLException {
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

    private static Instant instant(ResultSet rows, String column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }

    @Override
    public List<LeaderInfo> leaders() {
        return database.readingRaw(this::readLeaders);
    }

    @Override
    public List<LeaderInfo> listLeaders() {
        return readers.asPlanned(LIST_LIMIT, this::readLeaders);
    }

    private List<LeaderInfo> readLeaders(Connection connection) throws SQLException {
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

    /** The handlers of live nodes, for people. */
    public Map<String, HandlerInfo> listPublished() {
        return readers.asPlanned(LIST_LIMIT, this::readPublished);
    }

    @Override
    public Map<String, HandlerInfo> published(@Nullable Connection connection) {
        if (connection == null) {
            return database.readingRaw(this::readPublished);
        }
        try {
            return readPublished(connection);
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    @Override
    public Map<String, LineLimit> lineLimits(@Nullable Connection connection) {
        if (connection == null) {
            return database.readingRaw(own -> PostgresLineStore.limits(database, own));
        }
        try {
            return PostgresLineStore.limits(database, connection);
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    private Map<String, HandlerInfo> readPublished(Connection connection) throws SQLException {
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
