package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many queues with many jobs are counted from a bounded number of rows all together. */
class QueueCountsIT extends OnFreshDatabase {
    private static final int QUEUES = 50;
    private static final int JOBS = Sizes.of(100_000, 150_000);
    private static final Pattern PAGES = Pattern.compile("(?:hit|read)=(\\d+)");

    @BeforeEach
    void fill() {
        database.execute("ALTER TABLE muster_jobs SET (autovacuum_enabled = off)");
        database.execute(
                "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue, args)"
                        + " SELECT gen_random_uuid(), clock_timestamp() + (random() - 0.5) * interval '1 hour', clock_timestamp(),"
                        + " clock_timestamp(), 50, 50, 'pending', 'a', 'q' || i % " + QUEUES
                        + ", '{}' FROM generate_series(1, " + JOBS
                        + ") i");
        database.execute(
                "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue, args)"
                        + " SELECT gen_random_uuid(), 'infinity', clock_timestamp(), clock_timestamp(), 50, 50, 'waiting', 'a', 'q0', '{}'"
                        + " FROM generate_series(1, 12000)");
    }

    @Test
    void allQueuesTogetherAreCountedUpToFiftyThousand() throws SQLException {
        List<QueueInfo> queues;
        try (PostgresStore store = database.store()) {
            queues = store.queues().list();
        }

        assertThat(queues).hasSize(QUEUES);
        assertThat(queues).allSatisfy(queue -> {
            assertThat(queue.pending()).as("of " + JOBS / QUEUES).isEqualTo(50_000 / QUEUES);
            assertThat(queue.atLeast()).contains(JobStatus.PENDING, JobStatus.WAITING);
            assertThat(queue.oldestDue()).isPresent();
        });
        assertThat(queues.get(0).waiting()).isEqualTo(10_000);
        assertThat(pagesOfList()).isLessThan(80_000);
    }

    private long pagesOfList() throws SQLException {
        SqlFiles files = new SqlFiles("public");
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute(files.get("transactions/reading"));
            ResultSet plan =
                    statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + files.get("queues/list"));
            while (plan.next()) {
                // The first line with buffers is about the whole statement.
                if (plan.getString(1).contains("Buffers:")) {
                    Matcher pages = PAGES.matcher(plan.getString(1));
                    long sum = 0;
                    while (pages.find()) {
                        sum += Long.parseLong(pages.group(1));
                    }
                    return sum;
                }
            }
        }
        throw new AssertionError("the plan has no buffers");
    }
}
