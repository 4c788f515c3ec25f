package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the table of attempts costs, and how it is partitioned. */
class AttemptsIT extends StoreOnFreshDatabase {
    private static final int JOBS = 100;

    private ClaimSession session() {
        return store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(1)));
    }

    private long attempts() {
        return database.number("SELECT count(*) FROM muster_job_attempts");
    }

    @Test
    void jobsThatCompleteOrAreReleasedUnstartedWriteNothing() {
        store.jobs()
                .enqueue(IntStream.range(0, JOBS)
                        .mapToObj(i -> JobDraft.plain("a"))
                        .toList());
        ClaimSession session = session();
        List<ClaimedJob> claimed = session.exchange(List.of(), JOBS).claimed();
        Stream<Outcome> released = claimed.stream().map(job -> new Outcome.Released(job.claim()));
        claimed = session.exchange(released.toList(), JOBS).claimed();
        assertThat(claimed).hasSize(JOBS);
        Stream<Outcome> completed =
                claimed.stream().map(job -> new Outcome.Completed(job.claim(), null, Duration.ofMillis(5)));
        session.exchange(completed.toList(), 0);

        assertThat(database.number("SELECT count(*) FROM muster_job_history")).isEqualTo(JOBS);
        assertThat(attempts()).isZero();
        assertThat(database.number("SELECT sum(pg_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent ="
                        + " 'muster_job_attempts'::regclass"))
                .as("bytes that were ever written")
                .isZero();
    }

    @Test
    void theStatementsOfPlainJobsDoNotNameTheTable() {
        SqlFiles files = new SqlFiles("public");
        for (String plain : List.of("claim", "finish", "finish_by_ctid", "enqueue_plain", "copy", "preamble")) {
            assertThat(files.get("jobs/" + plain)).as(plain).doesNotContain("muster_job_attempts");
        }
        assertThat(files.get("jobs/requeue")).contains("muster_job_attempts");
    }

    @Test
    void partitionsAreCreatedAWeekAheadAndHaveTheIndex() {
        store.claims().prepareHistory();
        assertThat(database.column("SELECT right(inhrelid::regclass::text, 8) FROM pg_inherits WHERE inhparent ="
                        + " 'muster_job_attempts'::regclass ORDER BY 1"))
                .containsExactlyElementsOf(
                        database.column("SELECT to_char((muster_clock() AT TIME ZONE 'UTC')::date + d,"
                                + " 'YYYYMMDD') FROM generate_series(-1, 7) d ORDER BY 1"));
        assertThat(database.number(
                        "SELECT count(*) FROM pg_inherits WHERE inhparent =" + " 'muster_job_attempts_job'::regclass"))
                .isEqualTo(9);
    }

    @Test
    void theAttemptsOfOneJobAreReadAlongTheirIndex() throws SQLException {
        database.execute("INSERT INTO muster_job_attempts (job_id, token, ended_at, attempt, outcome) SELECT"
                + " gen_random_uuid(), i, muster_clock(), 1, 'retried' FROM generate_series(1, 20000) i");
        String sql = new SqlFiles("public")
                .get("jobs/attempts")
                .replaceFirst("\\?", "'01a1e2b5-b0c8-7560-8828-f7dba55dc460'")
                .replaceFirst("\\?", "100")
                .replaceFirst("\\?", "'01a1e2b5-b0c8-7560-8828-f7dba55dc460'")
                .replaceFirst("\\?", "100");
        StringBuilder plan = new StringBuilder();
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute(new SqlFiles("public").get("transactions/reading"));
            ResultSet rows = statement.executeQuery("EXPLAIN " + sql);
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
        }

        assertThat(plan.toString()).contains("_job_id_token_idx").doesNotContain("Seq Scan");
    }
}
