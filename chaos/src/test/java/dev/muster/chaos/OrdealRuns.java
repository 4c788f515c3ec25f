package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.chaos.Ordeal.Receipt;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;

/** Runs of the {@link Ordeal}, each of which stops at a point of its own, and how they have to end. */
abstract class OrdealRuns extends ChaosIT {
    private static final Duration TAKE_OVER = Duration.ofSeconds(90);
    static final String APP = Ordeal.class.getName();

    /** For a run at each point. */
    static final Map<String, String> ROOM = Map.of("app", APP, "worker.concurrency", "32", "database.pool_size", "16");

    /** The runs and where they stop: "ships" or "fails", and the point. */
    private final Map<JobId, String> runs = new LinkedHashMap<>();

    @BeforeEach
    void prepare() {
        Ordeal.prepare(database);
    }

    /** A run for each point. */
    void startAll() {
        Ordeal.POINTS.forEach(point -> start(true, point));
        Ordeal.POINTS_OF_FAILURE.forEach(point -> start(false, point));
    }

    void start(boolean ships, String point) {
        JobId run = JobId.next();
        StopPoints.stop(database, run, point);
        client.workflows()
                .start(RunRequest.of(Ordeal.ORDEAL, new Ordeal.Order(ships)).id(run));
        // One that is to stop while it parks has to wait for something: its sleep may be over before it parks.
        if (!point.equals("parks")) {
            client.workflows().signal(run, "packed", "yes");
        }
        runs.put(run, (ships ? "ships, " : "fails, ") + point);
    }

    void awaitAllAtTheirPoints(NodeProcess node) {
        await("all runs at their points")
                .atMost(TAKE_OVER)
                .failFast(() -> assertThat(node.isAlive()).as(node.text()).isTrue())
                .untilAsserted(() -> assertThat(StopPoints.expected(database)).isEmpty());
        runs.forEach((run, what) -> {
            if (what.endsWith("parks")) {
                client.workflows().signal(run, "packed", "yes");
            }
        });
    }

    void assertAllEndedRight() {
        runs.forEach(this::assertEndedRight);
    }

    private void assertEndedRight(JobId id, String what) {
        RunInfo run = client.workflows().await(id, TAKE_OVER);
        boolean ships = what.startsWith("ships");
        assertThat(run.status())
                .as("%s: %s %s", what, run, client.workflows().steps(id))
                .isEqualTo(ships ? RunStatus.COMPLETED : RunStatus.COMPENSATED);
        assertThat(effects(id))
                .as(what)
                .containsExactlyInAnyOrderElementsOf(
                        ships
                                ? List.of("reserve", "charge", "label", "invoice", "ship")
                                : List.of("reserve", "charge", "label", "invoice", "refund", "release"));
        assertThat(effects(id)).as(what).last().isEqualTo(ships ? "ship" : "release");
        assertOneResultPerStep(id, what, ships);
        if (ships) {
            Receipt receipt = client.workflows().result(Ordeal.ORDEAL, run);
            assertThat(stored(id, "charge")).as(what).containsExactly("\"" + receipt.charged() + "\"");
        }
        assertThat(jobs().find(id).orElseThrow().status().isTerminal()).as(what).isTrue();
    }

    private List<String> effects(JobId run) {
        return database.column("SELECT effect FROM effects WHERE run = '" + run + "' ORDER BY seq");
    }

    private List<String> stored(JobId run, String step) {
        return database.column(
                "SELECT result FROM muster_workflow_steps WHERE run_id = '" + run + "' AND name = '" + step + "'");
    }

    /** Each effect that is written with its step's result was written by the node whose result is stored. */
    private void assertOneResultPerStep(JobId run, String what, boolean ships) {
        assertThat(database.column("SELECT name || ' ' || status FROM muster_workflow_steps WHERE run_id = '" + run
                        + "' AND kind NOT IN ('sleep', 'event') ORDER BY 1"))
                .as(what)
                .containsExactlyElementsOf(
                        ships
                                ? List.of(
                                        "charge completed",
                                        "invoice completed",
                                        "label completed",
                                        "reserve completed",
                                        "ship completed")
                                : List.of(
                                        "charge completed",
                                        "invoice completed",
                                        "label completed",
                                        "refund completed",
                                        "release completed",
                                        "reserve completed",
                                        "ship failed"));
        assertThat(database.column("SELECT e.effect FROM effects e WHERE e.run = '" + run + "' AND e.key IS NULL"
                        + " AND NOT EXISTS (SELECT FROM muster_workflow_steps s WHERE s.run_id = e.run"
                        + " AND s.name = e.effect AND s.node_id = e.node)"))
                .as(what)
                .isEmpty();
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE run_id = '" + run
                        + "' AND taken_by IS NOT NULL"))
                .as(what)
                .isEqualTo(1);
    }
}
