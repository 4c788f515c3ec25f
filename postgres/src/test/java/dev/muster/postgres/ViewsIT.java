package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The views for people with psql. LivenessIT and MetricsIT test what they show about nodes and figures. */
class ViewsIT extends StoreOnFreshDatabase {
    private JobId enqueue(NewJob job) {
        return store.jobs().enqueue(List.of(job)).get(0);
    }

    private ClaimSession session(Duration lease) {
        return store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, lease));
    }

    private ClaimedJob claim(Duration lease) {
        return session(lease).exchange(List.of(), 1).claimed().get(0);
    }

    private void write(Outcome outcome) {
        assertThat(session(Duration.ofMinutes(1)).exchange(List.of(outcome), 0).rejected())
                .isEmpty();
    }

    private List<String> stuck() {
        return database.column("SELECT id || ' ' || reason FROM muster_stuck ORDER BY 1");
    }

    @Test
    void theOverviewCountsLiveAndEndedJobs() {
        enqueue(JobDraft.plain("a"));
        ClaimedJob failing = claim(Duration.ofMinutes(1));
        write(new Outcome.Retried(failing.claim(), "no", Duration.ofHours(1)));
        enqueue(JobDraft.plain("a"));
        ClaimedJob running = claim(Duration.ofMinutes(1));
        store.claims().markRunning(List.of(new Start(running.claim(), 3, 5, 0)));
        enqueue(JobDraft.plain("a"));
        write(new Outcome.Completed(claim(Duration.ofMinutes(1)).claim(), null));
        enqueue(JobDraft.named("b").lane("mail", "").job());
        enqueue(JobDraft.named("b").lane("mail", "").job());

        assertThat(database.column("SELECT concat_ws(' ', name, queue, status, jobs, max_attempt, max_crashes)"
                        + " FROM muster_job_overview ORDER BY name, status"))
                .containsExactly(
                        "a default completed 1 1 0",
                        "a default pending 1 1 0",
                        "a default running 1 1 0",
                        "b mail pending 2 0 0");
        assertThat(database.number("SELECT count(*) FROM muster_job_overview WHERE oldest_run_at IS NULL"))
                .isZero();
    }

    @Test
    void aJobIsStuckWithItsReasonOnceItIsLateAndNotBefore() {
        JobId late = enqueue(JobDraft.plain("a"));
        JobId paused = enqueue(JobDraft.named("a").lane("mail", "").job());
        enqueue(JobDraft.named("a").delay(Duration.ofHours(1)).job());
        store.queues().pause("mail");
        assertThat(stuck()).as("they are due, but not for a minute yet").isEmpty();
        database.advance(Duration.ofSeconds(61));

        assertThat(stuck())
                .containsExactlyInAnyOrder(
                        late + " no live node has a handler for it", paused + " its queue is paused");
    }

    @Test
    void aClaimWhoseLeaseRanOutIsStuckUntilItIsTakenBack() {
        JobId id = enqueue(JobDraft.plain("a"));
        claim(Duration.ofSeconds(30));
        database.advance(Duration.ofSeconds(85));
        assertThat(stuck()).as("the lease ran out less than a minute ago").isEmpty();
        database.advance(Duration.ofSeconds(10));
        assertThat(stuck()).containsExactly(id + " its lease ran out and nobody has taken it over");

        store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, 10, true));
        assertThat(stuck()).isEmpty();
    }

    @Test
    void aJobThatWaitsForNothingAnyMoreIsStuck() {
        JobId parent = enqueue(JobDraft.plain("a"));
        JobId child = enqueue(JobDraft.named("b").dependsOn(List.of(parent)).job());
        write(new Outcome.Completed(claim(Duration.ofMinutes(1)).claim(), null));
        assertThat(stuck()).as("it was created just now").isEmpty();
        database.advance(Duration.ofSeconds(61));

        assertThat(stuck()).containsExactly(child + " everything it waits for has ended");
        store.dependencies().resolveDependents(List.of(parent));
        assertThat(stuck()).noneMatch(line -> line.contains("everything it waits for"));
    }

    @Test
    void aRoleThatMayOnlyReadSeesEveryViewAndTableAndChangesNone() throws SQLException {
        enqueue(JobDraft.plain("a"));
        write(new Outcome.Retried(claim(Duration.ofMinutes(1)).claim(), "no", Duration.ofHours(1)));
        String role = "reader_" + Long.toHexString(System.nanoTime());
        database.execute("CREATE ROLE " + role);
        try {
            store.admin().grants(role, true).forEach(database::execute);
            List<String> views = database.column(
                    "SELECT viewname FROM pg_views WHERE schemaname = 'public' AND viewname LIKE 'muster\\_%'");
            assertThat(views)
                    .contains(
                            "muster_job_overview",
                            "muster_stuck",
                            "muster_cluster",
                            "muster_job_metrics",
                            "muster_queue_metrics");
            List<String> tables = database.column("SELECT c.relname FROM pg_class c WHERE c.relname LIKE 'muster\\_%'"
                    + " AND c.relkind IN ('r', 'p') AND NOT c.relispartition");
            assertThat(tables).contains("muster_job_attempts");
            try (Connection connection = database.connection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET ROLE " + role);
                statement.execute("SET default_transaction_read_only = on");
                for (String view : views) {
                    statement.executeQuery("SELECT * FROM " + view).close();
                }
                ResultSet attempts = statement.executeQuery("SELECT count(*) FROM muster_job_attempts");
                attempts.next();
                assertThat(attempts.getLong(1)).isEqualTo(1);
                statement.execute("SET default_transaction_read_only = off");
                for (String table : tables) {
                    String columns = switch (table) {
                        case "muster_api_keys" -> "id, name, scopes";
                        case "muster_cluster_keys" -> "number, created_at, signs_until, expires_at";
                        default -> "*";
                    };
                    statement
                            .executeQuery("SELECT " + columns + " FROM " + table)
                            .close();
                    assertThatThrownBy(() -> statement.execute("DELETE FROM " + table))
                            .hasMessageContaining("permission denied");
                }
                assertThatThrownBy(() -> statement.executeQuery("SELECT hash FROM muster_api_keys"))
                        .hasMessageContaining("permission denied");
                assertThatThrownBy(() -> statement.executeQuery("SELECT secret FROM muster_cluster_keys"))
                        .hasMessageContaining("permission denied");
                statement.execute("RESET ROLE");
            }
        } finally {
            database.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
        }
    }
}
