package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import dev.muster.testing.Periods;
import dev.muster.testing.Sizes;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Events that come while a run parks, and nodes that die while runs continue. */
class WorkflowRacesIT extends EngineIT {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int RUNS = Sizes.of(50, 300);

    /** Runs that wait for events. */
    public static final class Waiting {
        @Workflow(name = "one", version = "v1")
        String one(WorkflowContext wf) {
            return String.valueOf(wf.awaitEvent("go", String.class));
        }

        @Workflow(name = "impatient", version = "v1")
        String impatient(WorkflowContext wf) {
            Optional<String> soon = wf.awaitEvent("go", String.class, Duration.ofMillis(5));
            return soon.map(event -> "soon " + event).orElseGet(() -> "late " + wf.awaitEvent("go", String.class));
        }
    }

    private static void pause(Random random) {
        Periods.work(Duration.ofMillis(random.nextInt(20)));
    }

    @Test
    void anEventThatComesWhileTheRunParksIsNotLost() {
        Muster node = node(new Waiting());
        Random random = new Random(1);
        List<JobId> runs = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            JobId run = node.workflows().start("one", null);
            runs.add(run);
            pause(random);
            node.workflows().signal(run, "go", "now");
        }

        for (JobId run : runs) {
            assertThat(node.workflows().await(run, LONG).result()).contains("\"now\"");
        }
    }

    @Test
    void anEventAtTheMomentOfTheTimeoutIsTakenOnce() {
        Muster node = node(new Waiting());
        Random random = new Random(2);
        List<JobId> runs = new ArrayList<>();
        for (int i = 0; i < RUNS; i++) {
            JobId run = node.workflows().start("impatient", null);
            runs.add(run);
            pause(random);
            node.workflows().signal(run, "go", "now");
        }

        for (JobId run : runs) {
            assertThat(node.workflows().await(run, LONG).result().orElseThrow()).isIn("\"soon now\"", "\"late now\"");
        }
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE taken_by IS NULL"))
                .isZero();
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events"))
                .isEqualTo(RUNS);
    }

    /** Effects that are rows of a table, written with the results of their steps. */
    public static final class Shop {
        @Workflow(name = "order", version = "v1")
        String order(WorkflowContext wf, int order) {
            wf.step("reserve", Void.class)
                    .compensateWith("release", order)
                    .runIn(connection -> effect(connection, order, "reserve"));
            wf.step("charge", Void.class)
                    .compensateWith("refund", order)
                    .runIn(connection -> effect(connection, order, "charge"));
            wf.sleep(Duration.ofMillis(20));
            wf.step("ship", Void.class)
                    .retry(RetryPolicy.fixed(2, Duration.ofMillis(5)))
                    .runIn(connection -> {
                        if (order % 4 == 0) {
                            throw new IllegalStateException("no truck");
                        }
                        return effect(connection, order, "ship");
                    });
            return "done";
        }

        @Compensation("release")
        void release(Connection connection, int order) throws SQLException {
            effect(connection, order, "release");
        }

        @Compensation("refund")
        void refund(StepContext step, Connection connection, int order) throws SQLException {
            effect(connection, order, "refund");
        }

        private static Void effect(Connection connection, int order, String what) throws SQLException {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO effects (number, effect) VALUES (?, ?)")) {
                insert.setInt(1, order);
                insert.setString(2, what);
                insert.executeUpdate();
            }
            Periods.work(Duration.ofMillis(2));
            return null;
        }
    }

    @Test
    void everyEffectHappensOnceAlthoughNodesDie() {
        database.execute("CREATE TABLE effects (number int, effect text)");
        Shop shop = new Shop();
        Random random = new Random(3);
        int orders = Sizes.of(40, 120);
        try (Cluster cluster = Cluster.on(database, Map.of("worker.lease", "60s", "worker.renew", "1s"))) {
            cluster.register(shop);
            Node steady = cluster.node();
            Workflows workflows = cluster.client().workflows();
            List<JobId> runs = new ArrayList<>();
            for (int order = 0; order < orders; order++) {
                runs.add(workflows.start("order", order));
            }
            for (int death = 0; death < Sizes.of(3, 6); death++) {
                Node victim = cluster.node();
                Periods.work(Duration.ofMillis(50 + random.nextInt(200)));
                victim.crash();
                cluster.clock().advance(Duration.ofSeconds(61));
            }
            for (int order = 0; order < orders; order++) {
                RunInfo run = workflows.await(runs.get(order), LONG);
                assertThat(run.status())
                        .as(order + ": " + run + workflows.steps(run.id()))
                        .isEqualTo(order % 4 == 0 ? RunStatus.COMPENSATED : RunStatus.COMPLETED);
            }
            await().untilAsserted(() -> assertThat(steady.health().ok()).isTrue());
        }
        assertThat(database.column(
                        "SELECT number || ' ' || effect || ' ' || count(*) FROM effects GROUP BY number, effect"
                                + " HAVING count(*) > 1"))
                .isEmpty();
        assertThat(database.column("SELECT effect || ' ' || count(*) FROM effects GROUP BY effect ORDER BY effect"))
                .containsExactly(
                        "charge " + orders,
                        "refund " + orders / 4,
                        "release " + orders / 4,
                        "reserve " + orders,
                        "ship " + (orders - orders / 4));
    }
}
