package dev.muster.postgres.cluster;

import dev.muster.daemon.DaemonInfo;
import dev.muster.daemon.DaemonInfo.Status;
import dev.muster.daemon.DaemonStore;
import dev.muster.postgres.db.ControlConnection;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Params;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Daemons in PostgreSQL. What keeps them running goes through the control connection, as heartbeats do. */
public final class PostgresDaemonStore implements DaemonStore {
    private static final int MAX_ERROR = 4_000;

    private final Database database;
    private final ControlConnection control;
    private final String daemons;
    private final String nodes;

    public PostgresDaemonStore(Database database, ControlConnection control) {
        this.database = database;
        this.control = control;
        this.daemons = database.schema() + ".muster_daemons";
        this.nodes = database.schema() + ".muster_nodes";
    }

    private record Row(String name, String slot) {}

    @Override
    public void declare(Holder holder, Collection<String> once, Collection<String> perNode) {
        List<Row> rows = new ArrayList<>();
        once.forEach(name -> rows.add(new Row(name, "")));
        perNode.forEach(name -> rows.add(new Row(name, holder.node())));
        List<String> names = rows.stream().map(Row::name).toList();
        control.inTransaction(database, connection -> {
            publish(connection, holder, names);
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/declare"))) {
                new Params(statement).column("text", rows, Row::name).column("text", rows, Row::slot);
                statement.executeUpdate();
            }
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/forget"))) {
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public void withdraw(Holder holder) {
        control.inTransaction(database, connection -> publish(connection, holder, List.of()));
    }

    private int publish(Connection connection, Holder holder, List<String> names) throws SQLException {
        String sql = "UPDATE " + nodes + " SET daemons = ? WHERE id = ? AND incarnation = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            new Params(statement).texts(names).text(holder.node()).uuid(holder.incarnation());
            return statement.executeUpdate();
        }
    }

    @Override
    public Survey survey(Holder holder, Collection<String> names, Collection<String> running) {
        return control.call(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/survey"))) {
                new Params(statement).text(holder.node()).texts(names).texts(running);
                ResultSet rows = statement.executeQuery();
                rows.next();
                return new Survey(
                        rows.getBoolean("free"),
                        Optional.ofNullable(rows.getObject("next_end_ms", Long.class))
                                .map(Duration::ofMillis),
                        rows.getString("surplus"));
            }
        });
    }

    @Override
    public Optional<Claim> claim(Holder holder, Collection<String> names, Duration lease, Duration patience) {
        return control.inTransaction(database, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/claim"))) {
                new Params(statement)
                        .text(holder.node())
                        .uuid(holder.incarnation())
                        .texts(names)
                        .number(lease.toMillis())
                        .number(patience.toMillis());
                ResultSet rows = statement.executeQuery();
                return rows.next()
                        ? Optional.of(new Claim(ref(rows), PostgresLockStore.fence(rows), rows.getInt("restarts")))
                        : Optional.<Claim>empty();
            }
        });
    }

    private static Ref ref(ResultSet rows) throws SQLException {
        return new Ref(rows.getString("name"), rows.getString("slot"), rows.getLong("token"));
    }

    @Override
    public Set<Ref> renew(Collection<Ref> claims, Duration lease) {
        List<Ref> refs = List.copyOf(claims);
        return control.inTransaction(database, connection -> {
            Set<Ref> held = new HashSet<>();
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/renew"))) {
                new Params(statement)
                        .number(lease.toMillis())
                        .column("text", refs, Ref::name)
                        .column("text", refs, Ref::slot)
                        .column("int8", refs, Ref::token);
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    held.add(ref(rows));
                }
            }
            return held;
        });
    }

    @Override
    public boolean running(Ref claim, int restarts) {
        return report(claim, Status.RUNNING, restarts, null) == 1;
    }

    @Override
    public void backoff(Ref claim, int restarts, String error) {
        report(claim, Status.BACKOFF, restarts, storable(error));
    }

    private int report(Ref claim, Status status, int restarts, @Nullable String error) {
        return control.inTransaction(database, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/report"))) {
                Params params = new Params(statement)
                        .text(status.text())
                        .number(restarts)
                        .text(error)
                        .text(error)
                        .text(error);
                return name(params, claim, statement);
            }
        });
    }

    private static int name(Params params, Ref claim, PreparedStatement statement) throws SQLException {
        params.text(claim.name()).text(claim.slot()).number(claim.token());
        return statement.executeUpdate();
    }

    @Override
    public void release(Ref claim, int restarts) {
        control.inTransaction(database, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/release"))) {
                return name(new Params(statement).number(restarts), claim, statement);
            }
        });
    }

    @Override
    public void fail(Ref claim, int restarts, String error) {
        control.inTransaction(database, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(database.sql("daemons/fail"))) {
                return name(new Params(statement).number(restarts).text(storable(error)), claim, statement);
            }
        });
    }

    private static String storable(String error) {
        String text = error.replace('\0', '\uFFFD');
        return text.length() <= MAX_ERROR ? text : text.substring(0, MAX_ERROR) + "…";
    }

    @Override
    public int release(Connection tx, String node, UUID incarnation) throws SQLException {
        String sql = "UPDATE " + daemons + " SET status = 'free', node_id = NULL, incarnation = NULL, token = NULL,"
                + " lease_until = NULL, free_since = " + database.schema() + ".muster_clock()"
                + " WHERE node_id = ? AND incarnation = ?";
        try (PreparedStatement statement = tx.prepareStatement(sql)) {
            new Params(statement).text(node).uuid(incarnation);
            return statement.executeUpdate();
        }
    }

    @Override
    public List<DaemonInfo> list() {
        String sql = "SELECT name, slot, CASE WHEN lease_until <= " + database.schema()
                + ".muster_clock() THEN 'free' ELSE status END AS status, node_id, token, restarts, started_at,"
                + " last_error, failed_at FROM " + daemons + " ORDER BY name, slot";
        return database.inRawTransaction(connection -> {
            List<DaemonInfo> found = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    String slot = rows.getString("slot");
                    found.add(new DaemonInfo(
                            rows.getString("name"),
                            slot.isEmpty() ? Optional.empty() : Optional.of(slot),
                            Status.parse(rows.getString("status")),
                            Optional.ofNullable(rows.getString("node_id")),
                            Optional.ofNullable(rows.getObject("token", Long.class)),
                            rows.getInt("restarts"),
                            instant(rows, "started_at"),
                            Optional.ofNullable(rows.getString("last_error")),
                            instant(rows, "failed_at")));
                }
            }
            return found;
        });
    }

    private static Optional<Instant> instant(ResultSet rows, String column) throws SQLException {
        return Optional.ofNullable(rows.getObject(column, OffsetDateTime.class)).map(OffsetDateTime::toInstant);
    }

    @Override
    public boolean reset(String name) {
        String sql = "UPDATE " + daemons + " SET status = 'free', restarts = 0, free_since = " + database.schema()
                + ".muster_clock() WHERE name = ? AND status = 'failed'";
        return database.inRawTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                new Params(statement).text(name);
                return statement.executeUpdate() > 0;
            }
        });
    }
}
