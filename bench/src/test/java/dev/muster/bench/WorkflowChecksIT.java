package dev.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.bench.contender.Site;
import dev.muster.embedded.EmbeddedPostgres;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A measurement of workflows is worth something only if runs that went wrong are noticed. */
class WorkflowChecksIT {
    private static final int RUNS = 20;

    @Test
    void wrong_results_and_missing_steps_of_muster_are_noticed() throws Exception {
        try (Scratch database = new Scratch(EmbeddedPostgres.shared());
                Site site = new MusterRuns(database.url(), MusterRuns.USUAL)) {
            site.enqueue(0, RUNS);
            assertThat(site.left()).isEqualTo(RUNS);
            Run.backlog(site, RUNS);
            assertThat(site.wrong()).isZero();

            Scratch.execute(
                    database.url(),
                    "update muster_workflow_runs set result = '7' where id = (select id from muster_workflow_runs limit 1)");
            assertThat(site.wrong()).isEqualTo(1);

            Scratch.execute(database.url(), "delete from muster_workflow_steps where name = 'step-3'");
            assertThat(site.wrong()).isEqualTo(1 + RUNS);
        }
    }

    @Test
    void wrong_results_and_missing_steps_of_dbos_are_noticed() throws Exception {
        try (Peers peers = new Peers(List.of("dbos"));
                Scratch database = new Scratch(EmbeddedPostgres.shared());
                Site site = peers.contenders().get(0).open(database.url())) {
            site.enqueue(0, RUNS);
            assertThat(site.left()).isEqualTo(RUNS);
            Run.backlog(site, RUNS);
            assertThat(site.wrong()).isZero();

            Scratch.execute(
                    database.url(),
                    "update dbos.workflow_status w set output = o.output from dbos.workflow_status o"
                            + " where w.workflow_uuid = '1' and o.workflow_uuid = '2'");
            assertThat(site.wrong()).isEqualTo(1);

            Scratch.execute(database.url(), "delete from dbos.operation_outputs where function_name = 'step-3'");
            assertThat(site.wrong()).isEqualTo(1 + RUNS);
        }
    }
}
