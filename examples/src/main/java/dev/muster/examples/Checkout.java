package dev.muster.examples;

import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import dev.muster.workflow.Compensation;
import dev.muster.workflow.StepContext;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.WorkflowType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A workflow that reserves, charges and ships an order. If it cannot be shipped, the charge and the reservation are undone. */
public final class Checkout {
    public static final WorkflowType<Input, Receipt> CHECKOUT = WorkflowType.of("checkout", Input.class, Receipt.class);

    private final DataSource database;

    /** @param holdMs how long each step keeps its transaction open before the commit; 0 unless given */
    public record Input(long order, @Nullable Long holdMs) {
        public Input(long order) {
            this(order, null);
        }
    }

    public record Receipt(long order, String reservation, int cents) {}

    public Checkout(DataSource database) {
        this.database = database;
    }

    @Workflow(name = "checkout", version = "v1")
    Receipt checkout(WorkflowContext wf, Input input) {
        String reservation = wf.step("reserve", String.class)
                .compensateWith("release", input)
                .runIn(connection -> reserve(connection, wf.runId(), input));
        int cents = wf.step("charge", Integer.class)
                .compensateWith("refund", input)
                .runIn(connection -> charge(connection, wf.runId(), input));
        wf.step("ship")
                .retry(RetryPolicy.fixed(2, Duration.ofMillis(100)))
                .runIn(connection -> ship(connection, wf.runId(), input));
        return new Receipt(input.order(), reservation, cents);
    }

    private static String reserve(Connection connection, JobId run, Input input)
            throws SQLException, InterruptedException {
        prepareTable(connection);
        addEffect(connection, run, "reserve", input);
        return "r-" + input.order();
    }

    private static int charge(Connection connection, JobId run, Input input) throws SQLException, InterruptedException {
        addEffect(connection, run, "charge", input);
        return 4_200;
    }

    private static Void ship(Connection connection, JobId run, Input input) throws SQLException, InterruptedException {
        if (input.order() <= 0) {
            throw new IllegalArgumentException("order must be positive, not " + input.order());
        }
        addEffect(connection, run, "ship", input);
        return null;
    }

    /** The transaction also stores the step's result, so a plain INSERT happens exactly once. */
    private static void addEffect(Connection connection, JobId run, String effect, Input input)
            throws SQLException, InterruptedException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO example_checkouts (run_id, order_id, effect) VALUES (?, ?, ?)")) {
            insert.setObject(1, run.value());
            insert.setLong(2, input.order());
            insert.setString(3, effect);
            insert.executeUpdate();
        }
        if (input.holdMs() != null) {
            Thread.sleep(input.holdMs());
        }
    }

    @Compensation("release")
    void release(StepContext step, Input input) throws SQLException {
        undo(step, "release", input);
    }

    @Compensation("refund")
    void refund(StepContext step, Input input) throws SQLException {
        undo(step, "refund", input);
    }

    /** A compensation runs at least once: the unique key of its step makes its effect happen once. */
    private void undo(StepContext step, String effect, Input input) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO example_checkouts (run_id, order_id, effect, idempotency_key) VALUES (?, ?, ?, ?)"
                                + " ON CONFLICT DO NOTHING")) {
            insert.setObject(1, step.runId().value());
            insert.setLong(2, input.order());
            insert.setString(3, effect);
            insert.setString(4, step.idempotencyKey());
            insert.executeUpdate();
        }
    }

    /** Nodes may start together: the lock lets one of them create the table while the others wait. */
    private static void prepareTable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT to_regclass('example_checkouts') IS NOT NULL")) {
            rows.next();
            if (rows.getBoolean(1)) {
                return;
            }
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(7239046)");
            statement.execute("CREATE TABLE IF NOT EXISTS example_checkouts (id bigint GENERATED ALWAYS AS IDENTITY,"
                    + " run_id uuid NOT NULL, order_id bigint NOT NULL, effect text NOT NULL,"
                    + " idempotency_key text UNIQUE)");
        }
    }
}
