package dev.muster.chaos;

import dev.muster.MusterBuilder;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.Parked;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInterceptor;
import dev.muster.job.RetryPolicy;
import dev.muster.testkit.TestDatabase;
import dev.muster.workflow.Compensation;
import dev.muster.workflow.StepContext;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A checkout with every kind of step, in which a test can stop a run at every boundary of a step, inside of every step, and between every
 * effect and its record.
 */
public final class Ordeal implements ChaosApp, JobInterceptor {
    static final WorkflowType<Order, Receipt> ORDEAL = WorkflowType.of("ordeal", Order.class, Receipt.class);

    /** The points on the way of a run that completes, in their order. */
    static final List<String> POINTS = List.of(
            "claimed",
            "begins",
            "in reserve",
            "reserve not committed",
            "after reserve",
            "in charge",
            "charge not stored",
            "after charge",
            "parks",
            "after sleep",
            "after event",
            "in label",
            "label not committed",
            "after branches",
            "in ship",
            "ship not committed",
            "after ship",
            "ends");

    /** The points on the way of a run that fails when it ships, from there on. */
    static final List<String> POINTS_OF_FAILURE =
            List.of("in ship", "in refund", "refund not stored", "in release", "release not committed", "ends");

    private @Nullable StopPoints points;
    private @Nullable DataSource database;
    private @Nullable String nodeId;

    /** @param ships whether the last step succeeds */
    public record Order(boolean ships) {}

    /** @param charged the result of the step "charge", as the code has got it */
    public record Receipt(String charged) {}

    /** Makes the tables; once per database. */
    static void prepare(TestDatabase database) {
        StopPoints.prepare(database);
        database.execute("CREATE TABLE effects (seq bigint GENERATED ALWAYS AS IDENTITY, run uuid NOT NULL,"
                + " effect text NOT NULL, node text NOT NULL, key text UNIQUE)");
    }

    @Override
    public void on(String node, String databaseUrl) {
        nodeId = node;
        points = new StopPoints(databaseUrl, node);
    }

    @Override
    public void register(MusterBuilder node, DataSource source) {
        database = source;
        node.register(this);
        node.interceptor(this);
    }

    private void at(JobId run, String point) {
        points.reach(run, point);
    }

    /** Around the activation: the claim is there and nothing has run yet, or everything has and the outcome is not written. */
    @Override
    public @Nullable Object run(JobContext context, Run run) throws Exception {
        at(context.id(), "claimed");
        Object outcome = run.proceed();
        if (outcome instanceof Parked) {
            at(context.id(), "parks");
        } else if (outcome instanceof Ended) {
            at(context.id(), "ends");
        }
        return outcome;
    }

    @Workflow(name = "ordeal", version = "v1")
    Receipt ordeal(WorkflowContext wf, Order order) {
        JobId run = wf.runId();
        at(run, "begins");
        wf.step("reserve", String.class).compensateWith("release", order).runIn(connection -> {
            at(run, "in reserve");
            insert(connection, run, "reserve", null);
            at(run, "reserve not committed");
            return nodeId;
        });
        at(run, "after reserve");
        String charged = wf.step("charge", String.class)
                .compensateWith("refund", order)
                .run(step -> {
                    at(run, "in charge");
                    insertOnce(run, "charge", step.idempotencyKey());
                    at(run, "charge not stored");
                    return "charged by " + nodeId;
                });
        at(run, "after charge");
        wf.sleep(Duration.ofMillis(50));
        at(run, "after sleep");
        wf.awaitEvent("packed", String.class, Duration.ofDays(1));
        at(run, "after event");
        wf.parallel(List.of(branch -> paper(branch, "label"), branch -> paper(branch, "invoice")));
        at(run, "after branches");
        wf.step("ship").retry(RetryPolicy.fixed(2, Duration.ofMillis(50))).runIn(connection -> {
            at(run, "in ship");
            if (!order.ships()) {
                throw new IllegalStateException("no truck");
            }
            insert(connection, run, "ship", null);
            at(run, "ship not committed");
            return null;
        });
        at(run, "after ship");
        return new Receipt(String.valueOf(charged));
    }

    private @Nullable Void paper(WorkflowContext branch, String name) {
        return branch.step(name, Void.class).runIn(connection -> {
            at(branch.runId(), "in " + name);
            insert(connection, branch.runId(), name, null);
            at(branch.runId(), name + " not committed");
            return null;
        });
    }

    /** Without a connection: its effect and its record are two transactions. */
    @Compensation("refund")
    void refund(StepContext step, Order order) throws SQLException {
        at(step.runId(), "in refund");
        insertOnce(step.runId(), "refund", step.idempotencyKey());
        at(step.runId(), "refund not stored");
    }

    /** With a connection: its effect and its record are one transaction. */
    @Compensation("release")
    void release(StepContext step, Connection connection, Order order) throws SQLException {
        at(step.runId(), "in release");
        insert(connection, step.runId(), "release", null);
        at(step.runId(), "release not committed");
    }

    private void insertOnce(JobId run, String effect, String key) throws SQLException {
        try (Connection connection = database.getConnection()) {
            insert(connection, run, effect, key);
        }
    }

    private void insert(Connection connection, JobId run, String effect, @Nullable String key) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO effects (run, effect, node, key) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING")) {
            insert.setObject(1, run.value());
            insert.setString(2, effect);
            insert.setString(3, nodeId);
            insert.setString(4, key);
            insert.executeUpdate();
        }
    }
}
