package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionError;
import dev.muster.function.FunctionException;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * A query reads and a mutation writes, both called by name with JSON. The rows of a mutation and its jobs are there together, or
 * none of them. The Muster need not be started.
 *
 * <pre>
 * placed: 1 job
 * order: {"id":42,"article":"tea"}
 * more tea: sold_out, there is no tea left
 * a field that nobody knows: invalid_args
 * a caller who may only read: forbidden
 * in the end: 1 job
 * </pre>
 */
final class QueryAndMutation implements Example {
    private static final Caller READER =
            Caller.builder("key:1", "reader", Scope.READ).auth(Auth.KEY).build();

    record OrderRef(long id) {}

    record Order(long id, String article) {}

    @Query
    Order order(QueryContext ctx, OrderRef ref) throws SQLException {
        try (PreparedStatement select = ctx.connection().prepareStatement("SELECT article FROM orders WHERE id = ?")) {
            select.setLong(1, ref.id());
            ResultSet rows = select.executeQuery();
            return rows.next() ? new Order(ref.id(), rows.getString(1)) : null;
        }
    }

    @Mutation
    JobId placeOrder(MutationContext ctx, Order order) throws SQLException {
        JobId job = ctx.jobs().enqueue("ship_order", order.id());
        try (PreparedStatement insert = ctx.connection()
                .prepareStatement("INSERT INTO orders (id, article) VALUES (?, ?) ON CONFLICT (article) DO NOTHING")) {
            insert.setLong(1, order.id());
            insert.setString(2, order.article());
            if (insert.executeUpdate() == 0) {
                throw new FunctionError("sold_out", "there is no " + order.article() + " left");
            }
        }
        return job;
    }

    @Job("ship_order")
    void ship(long order) {}

    @Override
    public void run(DataSource database, PrintStream out) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.createStatement().execute("CREATE TABLE orders (id bigint, article text UNIQUE)");
        }
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.migrate();
            Caller program = Caller.program("shop");

            call(muster, "place_order", "{\"id\":42,\"article\":\"tea\"}", program);
            out.println("placed: " + jobs(muster));
            out.println("order: " + call(muster, "order", "{\"id\":42}", READER));
            out.println("more tea: " + call(muster, "place_order", "{\"id\":43,\"article\":\"tea\"}", program));

            String red = "{\"id\":44,\"article\":\"coffee\",\"colour\":\"red\"}";
            out.println("a field that nobody knows: " + code(muster, red, program));
            out.println("a caller who may only read: " + code(muster, "{\"id\":44,\"article\":\"coffee\"}", READER));
            out.println("in the end: " + jobs(muster));
        }
    }

    private static String call(Muster muster, String function, String args, Caller caller) {
        try {
            return muster.functions()
                    .call(new FunctionCall(function, args, caller, "request-1"))
                    .json();
        } catch (FunctionException e) {
            return e.code() + ", " + e.getMessage();
        }
    }

    private static String code(Muster muster, String args, Caller caller) {
        return call(muster, "place_order", args, caller).split(",")[0];
    }

    private static String jobs(Muster muster) {
        return muster.jobs().list(JobQuery.all()).size() + " job";
    }
}
