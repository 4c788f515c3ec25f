package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.RunDraft;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What is kept of runs: the days of their steps, and the keys of their values. */
class RunMaintenanceIT extends RunRaces {

    private String dropDay(int most) throws SQLException {
        try (PreparedStatement drop =
                other.prepareStatement("SELECT muster_drop_steps_day(interval '1 hour', " + most + ")")) {
            ResultSet rows = drop.executeQuery();
            rows.next();
            String done = rows.getString(1);
            other.commit();
            return done;
        }
    }

    /** Runs with many steps are moved a few at a time, and one that a node holds keeps only itself from moving. */
    @Test
    void runsTakeTheirStepsAlongInPortions() throws Exception {
        List<ClaimRef> claims = executing(3).stream()
                .sorted(Comparator.comparing(claim -> claim.id().toString()))
                .toList();
        for (ClaimRef claim : claims) {
            for (int step = 0; step < 25; step++) {
                runs.save(held(claim), RunDraft.completed("" + step, "a", "1"), "n1");
            }
        }
        park(claims.get(0));
        park(claims.get(1));
        database.execute("SELECT muster_prepare_history(2)");
        long day = database.number("SELECT to_char(muster_clock() AT TIME ZONE 'UTC', 'YYYYMMDD')::bigint");
        database.advance(Duration.ofHours(26));

        assertThat(dropDay(1)).as("an earlier day without runs").startsWith("muster_workflow_steps_");
        assertThat(dropDay(1))
                .as("25 steps are enough for a call that moves one run")
                .isEqualTo("moved");
        assertThat(dropDay(3)).isEqualTo("moved");
        assertThat(dropDay(3)).as("a node holds the last one").isEqualTo("busy");
        park(claims.get(2));
        assertThat(dropDay(3)).isEqualTo("muster_workflow_steps_" + day);

        for (ClaimRef claim : claims) {
            assertThat(runs.steps(claim.id())).extracting(StepInfo::name).hasSize(25);
        }
    }

    private boolean forgetRuns() throws SQLException {
        boolean more = runs.forgetRuns(other, Duration.ofHours(1));
        other.commit();
        return more;
    }

    private List<Long> left() {
        return List.of(
                database.number("SELECT count(*) FROM muster_workflow_events"),
                database.number("SELECT count(*) FROM muster_workflow_runs"));
    }

    /** One run may have a million: they are deleted over as many calls as they need, and the run with the last of them. */
    @Test
    void atMostFiveHundredEventsAreForgottenAtOnce() throws SQLException {
        NewRun run = RunDraft.of("a").run();
        runs.start(List.of(run));
        database.execute("DELETE FROM muster_jobs; UPDATE muster_workflow_runs SET status = 'completed',"
                + " finished_at = muster_clock() - interval '2 hours';"
                + " INSERT INTO muster_workflow_events (run_id, event_id, name, sent_at)"
                + " SELECT '" + run.id() + "', 'e' || i, 'go', muster_clock() FROM generate_series(1, 1100) i");

        assertThat(forgetRuns()).isTrue();
        assertThat(left()).containsExactly(600L, 1L);
        assertThat(forgetRuns()).isTrue();
        assertThat(left()).containsExactly(100L, 1L);
        assertThat(forgetRuns()).isFalse();
        assertThat(left()).containsExactly(0L, 0L);
    }

    private Set<String> keys() throws SQLException {
        Set<String> keys = new TreeSet<>();
        try (PreparedStatement query = other.prepareStatement(new SqlFiles("public").get("jobs/key_uses"))) {
            query.setBoolean(1, false);
            ResultSet rows = query.executeQuery();
            while (rows.next()) {
                keys.add(String.valueOf(rows.getString("kid")));
            }
        }
        other.rollback();
        return keys;
    }

    @Test
    void whatCanBeRetriedAndWhatAChildHasToldStillNeedTheirKeys() throws SQLException {
        NewRun run = RunDraft.of("a").run();
        runs.start(List.of(run));
        database.execute(
                "UPDATE muster_workflow_runs SET input = '{\"$muster\": \"1\", \"kid\": \"of-input\"}';"
                        + " INSERT INTO muster_workflow_events (run_id, event_id, name, payload, sent_at) VALUES ('"
                        + run.id()
                        + "', 'muster:child:0', 'muster:child:0', jsonb_build_object('run', '" + run.id()
                        + "', 'status', 'completed', 'result', '{\"$muster\": \"1\", \"kid\": \"of-child\"}'), muster_clock())");
        assertThat(keys()).containsExactly("of-child", "of-input");

        ended("failed");
        assertThat(keys()).containsExactly("of-child", "of-input");
        ended("completed");
        assertThat(keys()).isEmpty();
    }

    private void ended(String status) {
        assertThat(RunStatus.find(status)).isPresent();
        database.execute("UPDATE muster_workflow_runs SET status = '" + status + "', finished_at = muster_clock()");
    }
}
