package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.VisitedPages;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.Sizes;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the sleeping and waiting runs of another service, in the same queue, cost a node. */
class ForeignRunsIT extends OnFreshDatabase {
    private static final Logger log = LoggerFactory.getLogger(ForeignRunsIT.class);
    private static final int MANY = Sizes.of(20_000, 100_000);

    /** An index with a hundred times as many entries has one level more, and each index is descended a few times. */
    private static final long ONE_LEVEL_MORE = 20;

    @Test
    void probesAndClaimsReadNoMoreForManyThanForAThousand() throws SQLException {
        runs(1_000, 0);
        List<Long> withFew = List.of(
                VisitedPages.of(database, probe()),
                VisitedPages.of(database, nextDue()),
                VisitedPages.of(database, claim()));
        runs(MANY, 1_000);
        List<Long> withMany = List.of(
                VisitedPages.of(database, probe()),
                VisitedPages.of(database, nextDue()),
                VisitedPages.of(database, claim()));

        log.info("pages of a probe, of the next due time and of a claim: {}, and with many: {}", withFew, withMany);
        for (int i = 0; i < withFew.size(); i++) {
            assertThat(withMany.get(i)).as("statement " + i).isCloseTo(withFew.get(i), within(ONE_LEVEL_MORE));
        }
    }

    /** As many pages as there are versions, however many runs they have. */
    @Test
    void theQuestionForStrandedRunsReadsNoMoreForManyThanForAThousand() throws SQLException {
        String sql = "SELECT * FROM muster_stranded_runs('{}')";
        runs(1_000, 0);
        long withFew = VisitedPages.of(database, sql);
        runs(MANY, 1_000);
        database.execute("VACUUM ANALYZE muster_workflow_runs");

        assertThat(database.column(sql)).containsExactly("other");
        assertThat(VisitedPages.of(database, sql)).isCloseTo(withFew, within(ONE_LEVEL_MORE));
    }

    /** Half of them sleep, the others wait for an event without a limit. */
    private void runs(int count, int from) {
        String ids = "FROM (SELECT i, ('01900000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid AS id,"
                + " CASE WHEN i % 2 = 0 THEN muster_statement_clock() + interval '10 minutes' + i * interval '1 millisecond'"
                + " ELSE '9999-01-01Z' END AS due FROM generate_series(" + (from + 1) + ", " + (from + count)
                + ") i) s";
        database.execute(
                "INSERT INTO muster_workflow_runs (id, workflow_name, workflow_version, signature, status, input,"
                        + " awaiting, wake_at, queue, capability, priority, max_crashes, steps_from, created_at, changed_at)"
                        + " SELECT id, 'other', 'v1', '0123456789abcdef', CASE WHEN i % 2 = 0 THEN 'sleeping' ELSE 'waiting' END,"
                        + " '{}', '{}', due, 'default', '', 50, 5, now(), now(), now() " + ids);
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, capability, priority, rank, status, run_at, ready_at,"
                        + " created_at, args) SELECT id, 'workflow:other:v1:01234567', 'default', '', 50, 50, 'pending', due, due,"
                        + " now(), 'null' " + ids);
    }

    private static String probe() {
        return "SELECT * FROM muster_probe_backlog('n1', '{50}', '{default}', '{\"\"}', '{-1}', '{mine}', false, 1000)";
    }

    private static String nextDue() {
        return bound("jobs/next_due", List.of("'{50}'", "'{default}'", "'{\"\"}'", "'{mine}'", "'{mine}'"));
    }

    private static String claim() {
        return bound(
                "jobs/claim",
                List.of(
                        "false",
                        "'{50}'",
                        "'{default}'",
                        "'{\"\"}'",
                        "'{-1}'",
                        "'{mine}'",
                        "'{mine}'",
                        "false",
                        "10",
                        "10",
                        "'n1'",
                        "30000",
                        "1000"));
    }

    private static String bound(String file, List<String> values) {
        String sql = new SqlFiles("public").get(file);
        for (String value : values) {
            sql = sql.replaceFirst("\\?", Matcher.quoteReplacement(value));
        }
        return sql;
    }
}
