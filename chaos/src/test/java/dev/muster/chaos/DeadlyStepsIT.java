package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs whose nodes die again and again, with and without progress in between. */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class DeadlyStepsIT extends ChaosIT {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final Map<String, String> APP = Map.of("app", DeadlySteps.class.getName());

    private final Map<String, NodeProcess> nodes = new HashMap<>();
    private int started;

    @BeforeEach
    void prepare() {
        DeadlySteps.prepare(database);
    }

    private NodeProcess another(boolean withDefaults) {
        String id = "n" + started++;
        NodeProcess node = withDefaults ? launchWithDefaults(id, APP) : launch(id, APP);
        nodes.put(id, node);
        return node;
    }

    /** Twice as many deaths as a run without progress may see. */
    @Test
    void aRunThatGoesOnBetweenTenDeathsOfItsNodesCompletes() {
        another(false).awaitReady();
        another(false);
        JobId run = JobId.next();
        for (int lap = 0; lap < DeadlySteps.LAPS; lap++) {
            StopPoints.stop(database, run, "lap-" + lap);
        }
        client.workflows().start(RunRequest.of("marathon", null).id(run));

        for (int lap = 0; lap < DeadlySteps.LAPS; lap++) {
            String point = "SELECT node FROM stop_points WHERE point = 'lap-" + lap + "' AND node IS NOT NULL";
            String node = await(point)
                    .atMost(LONG)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> database.column(point), found -> !found.isEmpty())
                    .get(0);
            nodes.get(node).kill9();
            another(false);
        }

        RunInfo info = client.workflows().await(run, LONG);
        assertThat(info.status()).as(info.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(database.column("SELECT effect FROM effects ORDER BY effect"))
                .containsExactlyElementsOf(IntStream.range(0, DeadlySteps.LAPS)
                        .mapToObj(lap -> "lap-" + lap)
                        .toList());
    }

    @Test
    void aStepThatEndsItsProcessEachTimeIsGivenUpAndAnotherNodeCompensates() {
        assertPoisonIsCompensated("poison", 5, false);
    }

    @Test
    void withDefaultSettingsTheSameHolds() {
        assertPoisonIsCompensated("poison_twice", 2, true);
    }

    private void assertPoisonIsCompensated(String workflow, int maxCrashes, boolean withDefaults) {
        another(withDefaults).awaitReady();
        JobId run = client.workflows().start(workflow, null);

        int deaths = deathsUntilItEnds(run, withDefaults);

        RunInfo info = client.workflows().find(run).orElseThrow();
        assertThat(info.status()).as(info.toString()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(info.error().orElseThrow()).contains("died running it");
        // The first death may come before the start was written.
        assertThat(deaths).isBetween(maxCrashes, maxCrashes + 1);
        assertThat(database.column("SELECT effect FROM effects ORDER BY effect"))
                .containsExactly("release", "reserve");
        String survivor = database.column("SELECT node FROM effects WHERE effect = 'release'")
                .get(0);
        assertThat(nodes.get(survivor).isAlive())
                .as("the node that compensated")
                .isTrue();
        assertThat(List.of("reserve completed", "release completed"))
                .containsExactlyInAnyOrderElementsOf(client.workflows().steps(run).stream()
                        .map(step -> step.name() + " " + step.status())
                        .toList());
    }

    /** Two nodes live at any time: the next one is up when the run kills one. */
    private int deathsUntilItEnds(JobId run, boolean withDefaults) {
        while (true) {
            another(withDefaults);
            int deaths = started - 2;
            await("death " + deaths)
                    .atMost(LONG)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> dead().size() > deaths || hasEnded(run));
            if (hasEnded(run)) {
                dead().forEach(node ->
                        assertThat(node.exitCode(SOON)).as(node.text()).isEqualTo(137));
                return dead().size();
            }
        }
    }

    private List<NodeProcess> dead() {
        return nodes.values().stream().filter(node -> !node.isAlive()).toList();
    }

    private boolean hasEnded(JobId run) {
        return client.workflows().find(run).orElseThrow().status().isTerminal();
    }
}
