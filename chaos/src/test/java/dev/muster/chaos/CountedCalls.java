package dev.muster.chaos;

import dev.muster.MusterBuilder;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Functions whose calls can be counted. A mutation writes that it was entered in a transaction of its own, and its effect in the
 * transaction of the call, a while later. Nothing keeps two calls from writing the same effect: a test would see both.
 */
public final class CountedCalls implements ChaosApp {
    static final int RUN_MILLIS = 200;
    static final String SURVIVOR = "survivor";

    private DataSource database;
    private String nodeId;

    /** @param millis how long it takes */
    record Write(String id, int millis) {}

    /** Makes the tables; once per database. */
    static void prepare(TestDatabase database) {
        database.execute("CREATE TABLE call_entries (id text NOT NULL, node text NOT NULL)");
        database.execute("CREATE TABLE call_effects (id text NOT NULL, node text NOT NULL)");
    }

    @Override
    public void on(String node, String databaseUrl) {
        nodeId = node;
    }

    @Override
    public void register(MusterBuilder node, DataSource connections) {
        this.database = connections;
        node.register(this);
    }

    @Query
    String where() {
        return nodeId;
    }

    /** Takes so long on nodes that are to be killed in it. */
    @Query
    String read(QueryContext ctx, Write read) throws SQLException {
        enter(read.id());
        pause(ctx.connection(), nodeId.equals(SURVIVOR) ? RUN_MILLIS : read.millis());
        return nodeId;
    }

    @Mutation(timeout = "1m")
    String write(MutationContext ctx, Write write) throws SQLException {
        return run(ctx, write);
    }

    @Mutation(timeout = "15s")
    String writeSoon(MutationContext ctx, Write write) throws SQLException {
        return run(ctx, write);
    }

    /** Takes so long on nodes that are to be killed in it. */
    @Mutation(timeout = "1m")
    String hold(MutationContext ctx, Write write) throws SQLException {
        return run(ctx, nodeId.equals(SURVIVOR) ? new Write(write.id(), RUN_MILLIS) : write);
    }

    private String run(MutationContext ctx, Write write) throws SQLException {
        enter(write.id());
        pause(ctx.connection(), write.millis());
        insert(ctx.connection(), "call_effects", write.id());
        return nodeId;
    }

    private void enter(String id) throws SQLException {
        try (Connection own = database.getConnection()) {
            insert(own, "call_entries", id);
        }
    }

    private void insert(Connection connection, String table, String id) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table + " (id, node) VALUES (?, ?)")) {
            insert.setString(1, id);
            insert.setString(2, nodeId);
            insert.executeUpdate();
        }
    }

    private static void pause(Connection connection, int millis) throws SQLException {
        try (PreparedStatement pause = connection.prepareStatement("SELECT pg_sleep(?)")) {
            pause.setDouble(1, millis / 1_000.0);
            pause.execute();
        }
    }
}
