package dev.muster.postgres.internal.cluster;

import dev.muster.daemon.DaemonInfo;
import dev.muster.daemon.DaemonInfo.Status;
import dev.muster.internal.daemon.DaemonStore;
import dev.muster.internal.runtime.StorableText;
import dev.muster.postgres.internal.db.ControlConnection;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Daemons in PostgreSQL. Statements that keep them running use the control connection, as heartbeats do. */
public final class PostgresDaemonStore implements DaemonStore {
    private static final int MAX_ERROR = 4_000;

    private static final Duration LIST_LIMIT = Duration.ofSeconds(30);

    private final Database database;
    private final Readers readers;
    private final ControlConnection control;

    public PostgresDaemonStore(Database database, Readers readers, ControlConnection control) {
        this.database = database;
        this.readers = readers;
        this.control = control;
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
            database.query("daemons/declare")
                    .with(p -> p.column("text", rows, Row::name).column("text", rows, Row::slot))
                    .update(connection);
            return database.query("daemons/forget").update(connection);
        });
    }

    @Override
    public void withdraw(Holder holder) {
        control.inTransaction(database, connection -> publish(connection, holder, List.of()));
    }

    private int publish(Connection connection, Holder holder, List<String> names) throws SQLException {
        return database.query("daemons/publish")
                .with(p -> p.texts(names).text(holder.node()).uuid(holder.incarnation()))
                .update(connection);
    }

    @Override
    public Survey survey(Holder holder, Collection<String> names, Collection<String> running) {
        Query survey = database.query("daemons/survey")
                .with(p -> p.text(holder.node()).texts(names).texts(running));
        return control.call(connection -> survey.one(
                connection,
                row -> new Survey(
                        row.getBoolean("free"),
                        Optional.ofNullable(row.getObject("next_end_ms", Long.class))
                                .map(Duration::ofMillis),
                        row.getString("surplus"),
                        row.getInt("peers"))));
    }

    @Override
    public Optional<Claim> claim(Holder holder, Collection<String> names, Duration lease, Duration patience) {
        Query claim = database.query("daemons/claim")
                .with(p -> p.text(holder.node())
                        .uuid(holder.incarnation())
                        .texts(names)
                        .number(lease.toMillis())
                        .number(patience.toMillis()));
        return control.inTransaction(
                database,
                connection -> claim.first(
                        connection, row -> new Claim(ref(row), PostgresLockStore.fence(row), row.getInt("restarts"))));
    }

    private static Ref ref(ResultSet rows) throws SQLException {
        return new Ref(rows.getString("name"), rows.getString("slot"), rows.getLong("token"));
    }

    @Override
    public Set<Ref> renew(Collection<Ref> claims, Duration lease) {
        List<Ref> refs = List.copyOf(claims);
        Query renew = database.query("daemons/renew")
                .with(p -> p.number(lease.toMillis())
                        .column("text", refs, Ref::name)
                        .column("text", refs, Ref::slot)
                        .column("int8", refs, Ref::token));
        return control.inTransaction(
                database, connection -> new HashSet<>(renew.list(connection, PostgresDaemonStore::ref)));
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
        return update(
                "daemons/report",
                claim,
                p -> p.text(status.text())
                        .number(restarts)
                        .text(error)
                        .text(error)
                        .text(error));
    }

    /** Runs a statement that ends by naming the claim. */
    private int update(String name, Ref claim, Query.Binder first) {
        Query update = database.query(name).with(p -> {
            first.bind(p);
            p.text(claim.name()).text(claim.slot()).number(claim.token());
        });
        return control.inTransaction(database, update::update);
    }

    @Override
    public void release(Ref claim, int restarts) {
        update("daemons/release", claim, p -> p.number(restarts));
    }

    @Override
    public void fail(Ref claim, int restarts, String error) {
        update("daemons/fail", claim, p -> p.number(restarts).text(storable(error)));
    }

    private static String storable(String error) {
        String text = StorableText.of(error);
        return text.length() <= MAX_ERROR ? text : text.substring(0, MAX_ERROR) + "…";
    }

    @Override
    public int release(Connection tx, String node, UUID incarnation) throws SQLException {
        return database.query("daemons/release_all")
                .with(p -> p.text(node).uuid(incarnation))
                .update(tx);
    }

    @Override
    public List<DaemonInfo> list() {
        return readers.asPlanned(
                LIST_LIMIT, connection -> database.query("daemons/list").list(connection, PostgresDaemonStore::daemon));
    }

    private static DaemonInfo daemon(ResultSet row) throws SQLException {
        return new DaemonInfo(
                row.getString("name"),
                Optional.of(row.getString("slot")).filter(slot -> !slot.isEmpty()),
                Status.stored(row.getString("status")),
                Rows.optionalText(row, "node_id"),
                Optional.ofNullable(row.getObject("token", Long.class)),
                row.getInt("restarts"),
                Rows.optionalInstant(row, "started_at"),
                Rows.optionalText(row, "last_error"),
                Rows.optionalInstant(row, "failed_at"));
    }

    @Override
    public boolean reset(String name) {
        return database.inRawTransaction(connection ->
                database.query("daemons/reset").with(p -> p.text(name)).update(connection) > 0);
    }
}
