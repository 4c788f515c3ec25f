package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.testing.LongTest;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs whose nodes die again and again, with and without progress in between. */
class DeadlyStepsIT extends ChaosIT {
    private static final Map<String, String> APP = Map.of("app", DeadlySteps.class.getName());

    @BeforeEach
    void prepare() {
        DeadlySteps.prepare(database);
    }

    @Test
    void aRunThatContinuesBetweenTheDeathsOfItsNodesCompletes() {
        assertCompletes("sprint", DeadlySteps.LAPS_OF_SPRINT);
    }

    @LongTest(
            twin = DeadlyStepsIT.class,
            test = "aRunThatContinuesBetweenTheDeathsOfItsNodesCompletes",
            why = "ten deaths, twice as many as a run may see by default without progress")
    @Test
    void aRunThatContinuesBetweenTenDeathsOfItsNodesCompletes() {
        assertCompletes("marathon", DeadlySteps.LAPS);
    }

    private void assertCompletes(String workflow, int laps) {
        JobId run = JobId.next();
        List<String> names =
                IntStream.range(0, laps).mapToObj(lap -> "lap-" + lap).toList();
        names.forEach(lap -> StopPoints.stop(database, run, lap));
        NodeProcess node = node("n0", APP);
        client.workflows().start(RunRequest.of(workflow, null).id(run));

        for (int lap = 0; lap < laps; lap++) {
            String id = "n" + lap;
            if (lap > 0) {
                node = launch(id, APP);
            }
            awaitReached("lap-" + lap, id, node);
            node.kill9();
            loses(id);
        }
        startHere("survivor", APP);

        RunInfo info = client.workflows().await(run, SOON);
        assertThat(info.status()).as(info.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(database.column("SELECT effect FROM effects ORDER BY effect"))
                .containsExactlyElementsOf(names);
    }

    private void awaitReached(String point, String id, NodeProcess node) {
        await(point)
                .atMost(SOON)
                .failFast(() -> assertThat(node.isAlive()).as(node.text()).isTrue())
                .until(() -> database.column("SELECT node FROM stop_points WHERE point = '" + point + "'")
                        .equals(List.of(id)));
    }

    @Test
    void aStepThatEndsItsProcessEachTimeIsGivenUpAndAnotherNodeCompensates() {
        assertPoisonIsCompensated("poison_twice", 2);
    }

    @LongTest(
            twin = DeadlyStepsIT.class,
            test = "aStepThatEndsItsProcessEachTimeIsGivenUpAndAnotherNodeCompensates",
            why = "as many crashes as a run may see by default")
    @Test
    void aStepThatEndsItsProcessFiveTimesIsGivenUpAndAnotherNodeCompensates() {
        assertPoisonIsCompensated("poison", 5);
    }

    private void assertPoisonIsCompensated(String workflow, int maxCrashes) {
        NodeProcess first = node("n0", APP);
        JobId run = startPoison(workflow);
        dieOnRecord(run, "n0", first);
        loses("n0");
        for (int death = 1; death < maxCrashes; death++) {
            dieOnRecord(run, "n" + death, launch("n" + death, APP));
            loses("n" + death);
        }
        startHere("survivor", APP);

        assertCompensated(run, "survivor");
    }

    private JobId startPoison(String workflow) {
        JobId run = JobId.next();
        StopPoints.stop(database, run, "poison");
        client.workflows().start(RunRequest.of(workflow, null).id(run));
        return run;
    }

    /** Each start is on record before the step may end its process. */
    private void dieOnRecord(JobId run, String id, NodeProcess node) {
        awaitReached("poison", id, node);
        awaitStatus(run, JobStatus.RUNNING);
        StopPoints.release(database);
        assertThat(node.exitCode(SOON)).as(node.text()).isEqualTo(137);
        StopPoints.stopAgain(database);
    }

    private void assertCompensated(JobId run, String survivor) {
        RunInfo info = client.workflows().await(run, SOON);
        assertThat(info.status()).as(info.toString()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(info.error().orElseThrow()).contains("died running it");
        assertThat(database.column("SELECT effect FROM effects ORDER BY effect"))
                .containsExactly("release", "reserve");
        assertThat(database.column("SELECT node FROM effects WHERE effect = 'release'"))
                .containsExactly(survivor);
        assertThat(client.workflows().steps(run))
                .extracting(step -> step.name() + " " + step.status())
                .containsExactlyInAnyOrder("reserve completed", "release completed");
    }

    @LongTest(
            twin = DeadlyStepsIT.class,
            test = "aStepThatEndsItsProcessEachTimeIsGivenUpAndAnotherNodeCompensates",
            why = "the leases and thresholds that a user gets, in real time")
    @Test
    void withDefaultSettingsTheSameHolds() {
        NodeProcess first = launchWithDefaults("n0", APP).awaitReady();
        JobId run = startPoison("poison_twice");
        dieOnRecord(run, "n0", first);
        dieOnRecord(run, "n1", launchWithDefaults("n1", APP));
        launchWithDefaults("survivor", APP).awaitReady();

        assertCompensated(run, "survivor");
    }
}
