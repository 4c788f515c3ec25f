package dev.muster.postgres.internal.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.maintenance.AgingStore;
import dev.muster.internal.maintenance.AgingStore.Lifted;
import dev.muster.internal.maintenance.AgingStore.RankedLane;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.postgres.VisitedPages;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What lifting does beside other transactions, and how much it reads. */
class AgingIT extends StoreOnFreshDatabase {
    private static final Duration AGE = Duration.ofMinutes(15);
    private static final Lane LANE = new Lane("default", "");
    private static final int BACKLOG = Sizes.of(30_000, 100_000);

    /** For ten jobs: their rows, and their entries in the indexes. */
    private static final long A_FEW_PAGES = 300;

    private AgingStore aging;

    @BeforeEach
    void prepare() {
        aging = store.port(AgingStore.class);
    }

    private Lifted lift(List<RankedLane> ranked) throws SQLException {
        try (Connection tx = database.transaction()) {
            Lifted lifted = aging.lift(tx, ranked, AGE, 500);
            tx.commit();
            return lifted;
        }
    }

    private JobId enqueue() {
        return store.jobs()
                .enqueue(List.of(
                        JobDraft.named("a").priority(Priority.BACKGROUND).job()))
                .get(0);
    }

    /** The pages that lifting ten jobs visits. */
    private long pagesToLift(RankedLane of) throws SQLException {
        String sql = new SqlFiles("public").get("jobs/lift");
        for (String value : List.of(
                String.valueOf(AGE.toMillis()),
                "10",
                "'{" + of.rank() + "}'",
                "'{" + of.lane().queue() + "}'",
                "'{\"" + of.lane().capability() + "\"}'",
                "'{" + of.fromMicros() + "}'")) {
            sql = sql.replaceFirst("\\?", Matcher.quoteReplacement(value));
        }
        return VisitedPages.of(database, sql);
    }

    @Test
    void aJobThatAnotherTransactionHasLockedIsLeftOutWithoutAWait() throws SQLException {
        JobId locked = enqueue();
        JobId free = enqueue();
        database.execute("UPDATE muster_jobs SET ready_at = ready_at - interval '1 hour'");
        try (Connection other = database.transaction();
                Statement statement = other.createStatement()) {
            statement.execute("SELECT FROM muster_jobs WHERE id = '" + locked + "' FOR UPDATE");

            assertThat(lift(aging.findWaiting(AGE)).jobs()).isEqualTo(1);
        }
        assertThat(store.jobReader().find(free).orElseThrow().liftedTo()).contains(Priority.LOW);
        assertThat(store.jobReader().find(locked).orElseThrow().liftedTo()).isEmpty();

        assertThat(lift(aging.findWaiting(AGE)).jobs())
                .as("the next search finds it")
                .isEqualTo(1);
        assertThat(store.jobReader().find(locked).orElseThrow().liftedTo()).contains(Priority.LOW);
    }

    @Test
    void aLiftedJobIsReadyFromNowOn() throws SQLException {
        enqueue();
        database.execute("UPDATE muster_jobs SET ready_at = ready_at - interval '1 hour'");
        lift(aging.findWaiting(AGE));

        assertThat(database.number(
                        "SELECT count(*) FROM muster_jobs WHERE ready_at > clock_timestamp() - interval '1 minute'"
                                + " AND rank = 25 AND priority = 0"))
                .isEqualTo(1);
    }

    @Test
    void aPassReadsFewPagesBesideALargeBacklogAndBehindManyDeadEntries() throws SQLException {
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args)"
                        + " SELECT gen_random_uuid(), 'a', 'default', 0, 0, 'pending', t, t, t, '{}'"
                        + " FROM (SELECT clock_timestamp() - interval '1 day' + n * interval '1 millisecond' AS t"
                        + " FROM generate_series(1, " + BACKLOG + ") n) s");
        assertThat(pagesToLift(new RankedLane(LANE, 0, 0))).isLessThan(A_FEW_PAGES);
        try (Connection report = database.transaction();
                Statement statement = report.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            statement.execute("SELECT count(*) FROM muster_nodes");
            database.execute("DELETE FROM muster_jobs WHERE ready_at <"
                    + " (SELECT max(ready_at) - interval '1 second' FROM muster_jobs)");
            List<RankedLane> ranked = aging.findWaiting(AGE);

            assertThat(pagesToLift(new RankedLane(LANE, 0, 0)))
                    .as("from the beginning it walks over what was deleted")
                    .isGreaterThan(BACKLOG / 40);
            assertThat(pagesToLift(ranked.get(0))).isLessThan(A_FEW_PAGES);
            assertThat(pagesToLift(lift(ranked).next().get(0)))
                    .as("where the last pass ended")
                    .isLessThan(A_FEW_PAGES);
        }
    }
}
