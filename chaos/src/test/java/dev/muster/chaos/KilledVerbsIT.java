package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.testing.LongTest;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * {@code kill -9} while an operator resumes, retires, retries and cancels runs, before a commit, and while a node asks the children of a run to
 * end. What was not done can be done again; what was half done is finished by itself, and nothing is left waiting.
 */
class KilledVerbsIT extends ChaosIT {
    private static final Map<String, String> APP = Map.of("app", Managed.class.getName());

    /** More than one transaction wakes or asks. */
    private static final int MANY = 600;

    /** More than one transaction retires. */
    private static final int RETIRED = 300;

    private NodeProcess victim;

    @AfterEach
    void endVictim() {
        if (victim != null) {
            victim.close();
        }
    }

    /** Runs that wait for these events, or for the end of a pause if there are none. */
    private void insert(String workflow, int runs, String awaiting, String parent) {
        database.execute("WITH v AS (SELECT gen_random_uuid() AS id, i, coalesce((SELECT d.signature FROM"
                + " muster_workflow_definitions d WHERE d.name = '" + workflow + "'), repeat('0', 64)) AS signature"
                + " FROM generate_series(1, " + runs + ") i),"
                + " run AS (INSERT INTO muster_workflow_runs (id, workflow_name, workflow_version, signature, status, input,"
                + " awaiting, parent_run, parent_path, queue, capability, priority, max_crashes, steps_from, created_at, changed_at)"
                + " SELECT id, '" + workflow + "', 'v1', signature, 'waiting', 'null', '" + awaiting + "', " + parent
                + ", CASE WHEN " + parent
                + " IS NOT NULL THEN '9.' || i END, 'default', '', 50, 3, muster_clock(), muster_clock(),"
                + " muster_clock() FROM v)"
                + " INSERT INTO muster_jobs (id, name, queue, priority, rank, run_at, ready_at, args, max_crashes)"
                + " SELECT id, 'workflow:" + workflow + ":v1:' || left(signature, 8), 'default', 50, 50, '9999-01-01Z',"
                + " '9999-01-01Z', 'null', 3 FROM v");
    }

    /** Publishes the code, and lets families fail. */
    private List<JobId> failedFamilies(int count) {
        database.execute("CREATE TABLE broken (what text)");
        database.execute("INSERT INTO broken VALUES ('all of it')");
        List<JobId> families = new ArrayList<>();
        startHere("first", APP);
        Workflows workflows = client.workflows();
        for (int i = 0; i < count; i++) {
            families.add(workflows.start("family", null));
        }
        families.forEach(run -> assertThat(workflows.await(run, SOON).status()).isEqualTo(RunStatus.FAILED));
        database.execute("DELETE FROM broken");
        return families;
    }

    /**
     * @param points the numbers of commits, by verb
     * @param killed called when the process is dead, and before another one is there
     */
    private void killAt(Map<String, int[]> points, Runnable killed) {
        int[] retries = points.get("retry");
        int[] cancels = points.get("cancel");
        List<JobId> families = failedFamilies(retries.length);
        client.drainNode("first");
        await().atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_nodes WHERE id = 'first'") == 0
                        || database.number("SELECT count(*) FROM muster_nodes WHERE id = 'first' AND status = 'active'")
                                == 0);
        List<String> orders = new ArrayList<>();
        for (int point : points.get("resume")) {
            insert("paused_" + point, MANY, "{}", "NULL::uuid");
            database.execute("INSERT INTO muster_workflow_pauses VALUES ('paused_" + point + "', muster_clock())");
            orders.add("resume/paused_" + point + "/" + point);
        }
        for (int point : points.get("retire")) {
            insert("gone_" + point, RETIRED, "{never}", "NULL::uuid");
            insert(
                    "left",
                    3,
                    "{never}",
                    "(SELECT max(id::text)::uuid FROM muster_workflow_runs WHERE workflow_name = 'gone_" + point
                            + "')");
            insert(
                    "left",
                    3,
                    "{never}",
                    "(SELECT min(id::text)::uuid FROM muster_workflow_runs WHERE workflow_name = 'gone_" + point
                            + "')");
            orders.add("retire/gone_" + point + "/" + point);
        }
        IntStream.range(0, retries.length).forEach(i -> orders.add("retry/" + families.get(i) + "/" + retries[i]));
        insert("holder", 1 + cancels.length, "{never}", "NULL::uuid");
        List<String> holders = database.column("SELECT id FROM muster_workflow_runs WHERE workflow_name = 'holder'");
        IntStream.range(0, cancels.length).forEach(i -> orders.add("cancel/" + holders.get(i + 1) + "/" + cancels[i]));
        insert("leaf", MANY, "{never}", "'" + holders.get(0) + "'::uuid");
        client.workflows().cancel(JobId.of(holders.get(0)), "enough");

        List<String> arguments = new ArrayList<>(List.of(database.url()));
        arguments.addAll(orders);
        victim = NodeProcess.launch(VerbsMain.class, JVM_OPTIONS, arguments).awaitReady();
        await("all at their points")
                .atMost(SOON)
                .until(() -> orders.stream().allMatch(this::isAtItsPoint)
                        && victim.output().contains(VerbsMain.AT + "children"));
        victim.kill9();
        killed.run();

        startHere("b", APP);
        losesToOthers("a");
        repeatWhatWasNotDone(orders);

        await("nothing waits")
                .atMost(SOON.multipliedBy(2))
                .untilAsserted(() -> assertThat(database.column(
                                "SELECT workflow_name || ' ' || status || ' ' || count(*) FROM muster_workflow_runs WHERE"
                                        + " finished_at IS NULL GROUP BY workflow_name, status"))
                        .isEmpty());
        assertThat(database.column(
                        "SELECT DISTINCT workflow_name || ' ' || status FROM muster_workflow_runs WHERE status"
                                + " NOT IN ('completed', 'retired_unresumable', 'cancelled_by_operator')"))
                .isEmpty();
        assertThat(cancelled("leaf")).isEqualTo(MANY);
        assertThat(cancelled("left"))
                .as("the children of what was retired")
                .isEqualTo(6L * points.get("retire").length);
        assertThat(
                        database.number(
                                "SELECT count(*) FROM muster_workflow_runs WHERE workflow_name = 'relative' AND status = 'completed'"))
                .isEqualTo(retries.length);
        await("no driver is left of a run that has ended")
                .atMost(SOON)
                .until(() -> database.number("SELECT count(*) FROM muster_jobs JOIN muster_workflow_runs r USING (id)"
                                + " WHERE r.finished_at IS NOT NULL")
                        == 0);
    }

    private boolean isAtItsPoint(String order) {
        List<String> said = victim.output();
        return said.contains(VerbsMain.AT + order) || said.contains(VerbsMain.DONE + order);
    }

    /**
     * An operator sees which runs were not retired, retried or asked to end, and says it again. What a run shows as done needs nobody, and
     * neither does a resume that has begun.
     */
    private void repeatWhatWasNotDone(List<String> orders) {
        Workflows workflows = client.workflows();
        for (String order : orders) {
            String[] parts = order.split("/");
            switch (parts[0]) {
                case "resume" -> {
                    if (database.number("SELECT count(*) FROM muster_workflow_pauses WHERE name = '" + parts[1] + "'")
                            > 0) {
                        workflows.resume(parts[1]);
                    }
                }
                case "retire" -> workflows.retire(parts[1], "v1", "gone for good");
                case "retry" -> {
                    if (isStill(parts[1], "status = 'failed'")) {
                        workflows.retry(JobId.of(parts[1]));
                    }
                }
                default -> {
                    if (isStill(parts[1], "finished_at IS NULL AND NOT cancel_requested")) {
                        workflows.cancel(JobId.of(parts[1]), "enough");
                    }
                }
            }
        }
    }

    private boolean isStill(String run, String condition) {
        return database.number("SELECT count(*) FROM muster_workflow_runs WHERE id = '" + run + "' AND " + condition)
                > 0;
    }

    private long cancelled(String workflow) {
        return database.number("SELECT count(*) FROM muster_workflow_runs WHERE workflow_name = '" + workflow
                + "' AND status = 'cancelled_by_operator'");
    }

    private long ended(String workflow) {
        return database.number(
                "SELECT count(finished_at) FROM muster_workflow_runs WHERE workflow_name = '" + workflow + "'");
    }

    private void assertStoodStill(String verb) {
        assertThat(victim.output()).anyMatch(line -> line.startsWith(VerbsMain.AT + verb));
    }

    /**
     * A client's first commit is that of its look at the server. The last points of retry and cancel are behind their last commits: they are
     * reached if what is one transaction becomes two.
     */
    @Test
    void whatAnOperatorHasBegunContinuesOrCanBeSaidAgain() {
        killAt(
                Map.of(
                        "resume",
                        new int[] {3},
                        "retire",
                        new int[] {3},
                        "retry",
                        new int[] {5, 6},
                        "cancel",
                        new int[] {3, 4}),
                () -> {
                    List.of("resume", "retire", "retry", "cancel").forEach(this::assertStoodStill);
                    assertThat(database.number("SELECT count(*) FROM muster_workflow_pauses"))
                            .as("the pause is over")
                            .isZero();
                    assertThat(ended("gone_3"))
                            .as("one transaction has retired its share")
                            .isEqualTo(200);
                    // The leader may have found those that the operator had not locked.
                    assertThat(ended("paused_3")).isLessThanOrEqualTo(MANY - 500);
                });
    }

    @LongTest(
            twin = KilledVerbsIT.class,
            test = "whatAnOperatorHasBegunContinuesOrCanBeSaidAgain",
            why = "each commit of each verb")
    @Test
    void atEveryCommitTheSameHolds() {
        Map<String, int[]> points = Map.of(
                "resume", new int[] {1, 2, 3, 4, 5},
                "retire", new int[] {1, 2, 3, 4},
                "retry", new int[] {1, 2, 3, 4, 5, 6},
                "cancel", new int[] {1, 2, 3, 4});
        // A resume has one for each window of live runs; they are all alike.
        killAt(
                points,
                () -> List.of("retire", "retry", "cancel")
                        .forEach(verb -> assertThat(victim.output())
                                .as("no commit of %s is left out", verb)
                                .anyMatch(line -> line.startsWith(VerbsMain.DONE + verb))));
    }
}
