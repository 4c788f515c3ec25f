package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.RunDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.workflow.WorkflowStore.Chain;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.workflow.RunStatus;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Runs that continue one another: what is asked of the first of them costs the same, however many there are. */
class LongChainIT extends RunRaces {
    private static final int LINKS = 40;

    /** The runs of a chain, of which a node executes the last. */
    private List<JobId> chain() {
        ClaimRef claim = executing(1).get(0);
        List<JobId> links = new ArrayList<>(List.of(claim.id()));
        while (links.size() < LINKS) {
            NewRun next = RunDraft.of("wait").run();
            store.claims()
                    .openClaims(new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5)))
                    .exchange(
                            List.of(new Ended(claim, RunStatus.COMPLETED, null, null, List.of(), null, false, next)),
                            0);
            claim = claimDue(1).get(0);
            links.add(next.id());
        }
        return links;
    }

    private long looksAtRuns() throws SQLException {
        try (PreparedStatement query = other.prepareStatement("SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0)"
                        + " FROM pg_stat_xact_user_tables WHERE relname = 'muster_workflow_runs'");
                ResultSet rows = query.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** How often a statement looks for a run. */
    private long looks(String statement, Object... values) throws SQLException {
        other.rollback();
        long before = looksAtRuns();
        try (PreparedStatement query = other.prepareStatement(new SqlFiles("public").get(statement))) {
            for (int i = 0; i < values.length; i++) {
                query.setObject(i + 1, values[i]);
            }
            query.executeQuery().close();
        }
        long looks = looksAtRuns() - before;
        other.rollback();
        return looks;
    }

    @Test
    void whoeverAsksTheFirstLooksAtFewAndLocksOnlyTheLast() throws Exception {
        List<JobId> links = chain();
        JobId first = links.get(0);
        JobId middle = links.get(LINKS / 2);
        JobId last = links.get(LINKS - 1);

        for (JobId asked : List.of(first, middle, last)) {
            assertThat(runs.chain(asked)).contains(new Chain(first, last));
            assertThat(runs.currentOfChain(asked).orElseThrow().id()).isEqualTo(last);
        }
        assertThat(looks("workflows/call_signal", first.value(), "e", "go", null))
                .isPositive()
                .isLessThan(10);
        assertThat(looks("workflows/find_last", first.value())).isPositive().isLessThan(10);
        assertThat(looks("workflows/call_chain", first.value())).isPositive().isLessThan(10);

        try (PreparedStatement lock =
                parking.prepareStatement("SELECT FROM muster_workflow_runs WHERE id <> '" + last + "' FOR UPDATE")) {
            lock.executeQuery().close();
            assertThat(runs.signal(first, "e1", "go", "1").known()).isFalse();
            parking.rollback();
        }
        assertThat(database.number("SELECT count(*) FROM muster_workflow_events WHERE run_id = '" + last + "'"))
                .isEqualTo(1);
    }

    /** Which run is the last may not be written down, or be written down for an earlier one. */
    @Test
    void aChainThatIsNotWrittenDownIsWalked() {
        List<JobId> links = chain();
        Chain whole = new Chain(links.get(0), links.get(LINKS - 1));

        database.execute("UPDATE muster_workflow_chains SET last_run = '" + links.get(5) + "'");
        assertThat(runs.chain(links.get(0))).contains(whole);
        assertThat(runs.chain(links.get(10))).contains(whole);
        database.execute("UPDATE muster_workflow_chains SET last_run = '" + JobId.next() + "'");
        assertThat(runs.chain(links.get(10))).contains(whole);
        database.execute("DELETE FROM muster_workflow_chains");
        assertThat(runs.chain(links.get(10))).contains(whole);
        assertThat(runs.chain(JobId.next())).isEmpty();
        assertThat(runs.currentOfChain(JobId.next())).isEmpty();
    }

    @Test
    void aChainIsForgottenWithItsLastRun() throws Exception {
        JobId last = chain().get(LINKS - 1);
        assertThat(database.number("SELECT count(*) FROM muster_workflow_chains"))
                .isEqualTo(1);
        database.execute("UPDATE muster_workflow_runs SET finished_at = '2020-01-01Z' WHERE id <> '" + last + "'");
        runs.forgetRuns(other, Duration.ofHours(1));
        other.commit();
        assertThat(database.number("SELECT count(*) FROM muster_workflow_chains"))
                .isEqualTo(1);

        database.execute("UPDATE muster_workflow_runs SET finished_at = '2020-01-01Z', status = 'completed'");
        runs.forgetRuns(other, Duration.ofHours(1));
        other.commit();

        assertThat(database.number("SELECT count(*) FROM muster_workflow_runs")).isZero();
        assertThat(database.number("SELECT count(*) FROM muster_workflow_chains"))
                .isZero();
    }
}
