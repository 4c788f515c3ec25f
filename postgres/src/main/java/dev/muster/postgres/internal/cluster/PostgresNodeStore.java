package dev.muster.postgres.internal.cluster;

import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.internal.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.HandlerInfo;
import dev.muster.postgres.internal.admission.AdmissionFloor;
import dev.muster.postgres.internal.admission.PostgresAdmissionStore;
import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.postgres.internal.recovery.SweepFloors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Heartbeats, changes of status, and who is overdue; {@link NodeJoin} writes the row of a node that joins, {@link NodeReader} reads those of all. A node's own row is written through the control connection, never through the job pool.
 */
public final class PostgresNodeStore implements NodeStore {
    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);

    private final Database database;
    private final Readers readers;
    private final ControlConnection control;
    private final SweepFloors floors;
    private final AdmissionFloor admission;
    private final NodeReader reader;
    private final ReleasedJobs releases;
    private final NodeJoin join;

    public PostgresNodeStore(
            Database database,
            Readers readers,
            ControlConnection control,
            SweepFloors floors,
            AdmissionFloor admission) {
        this.database = database;
        this.readers = readers;
        this.control = control;
        this.floors = floors;
        this.admission = admission;
        this.reader = new NodeReader(database);
        this.releases = new ReleasedJobs(database);
        this.join = new NodeJoin(database, control, releases);
    }

    @Override
    public Optional<Joined> join(
            Registration node, NodeStatus status, @Nullable UUID previous, @Nullable Instant firstAsked) {
        return join.join(node, status, previous, firstAsked);
    }

    @Override
    public HeartbeatAnswer heartbeat(
            String id, UUID incarnation, NodeLoad load, Duration interval, SinceLastHeartbeat since) {
        return control.call(
                new LeaderPoll.Heartbeat(database.sql("nodes/heartbeat"), id, incarnation, load, interval, since));
    }

    @Override
    public boolean move(String id, UUID incarnation, Set<NodeStatus> from, NodeStatus to) {
        return to == NodeStatus.ACTIVE
                ? join.unlessLockedForLong(
                        "node " + id + " cannot become active", () -> moveOnce(id, incarnation, from, to))
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
            return heard.isPresent() ? releases.of(connection, id, false, heard.get(), null) : List.of();
        });
    }

    @Override
    public boolean drain(String id) {
        Query drain = database.query("nodes/drain").with(p -> p.text(id));
        return database.inRawTransaction(connection -> drain.update(connection) == 1);
    }

    @Override
    public OverdueWork overdueWork(String observer, SilenceLimits limits) {
        return control.call(
                new LeaderPoll.Due(database.sql("nodes/call_overdue_duties"), observer, limits, floors, admission));
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
                marked.now() == NodeStatus.DEAD ? releases.of(tx, node, true, heard, floors.leases()) : List.of());
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
        return readers.asPlanned(LIST_LIMIT, reader::nodes);
    }

    /** The nodes that publish functions, for a node that forwards calls to them. */
    public List<NodeInfo> listWithFunctions() {
        return database.readingRaw(reader::nodes).stream()
                .filter(node -> !node.functions().isEmpty())
                .toList();
    }

    @Override
    public List<LeaderInfo> leaders() {
        return database.readingRaw(reader::leaders);
    }

    @Override
    public List<LeaderInfo> listLeaders() {
        return readers.asPlanned(LIST_LIMIT, reader::leaders);
    }

    /** The handlers of live nodes, for people. */
    public Map<String, HandlerInfo> listPublished() {
        return readers.asPlanned(LIST_LIMIT, reader::handlers);
    }

    @Override
    public Map<String, HandlerInfo> published(@Nullable Connection connection) {
        if (connection == null) {
            return database.readingRaw(reader::handlers);
        }
        try {
            return reader.handlers(connection);
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    @Override
    public Map<String, ConcurrencyLimit> concurrencyLimits(@Nullable Connection connection) {
        if (connection == null) {
            return database.readingRaw(own -> PostgresAdmissionStore.limits(database, own));
        }
        try {
            return PostgresAdmissionStore.limits(database, connection);
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }
}
