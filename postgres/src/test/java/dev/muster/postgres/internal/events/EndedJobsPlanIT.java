package dev.muster.postgres.internal.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A round of the feed reads the pages of its stretch of history, whatever else is there and whatever the statistics say. */
class EndedJobsPlanIT extends OnFreshDatabase {
    private static final Pattern PAGES = Pattern.compile("Buffers: shared (?:hit=(\\d+))?(?: ?read=(\\d+))?");

    /** A hundred thousand jobs that ended within the 100 seconds before this moment. */
    private void endJobs(Instant until) {
        database.execute(
                "INSERT INTO muster_job_history (id, finished_at, run_at, created_at, priority, attempt, crashes, status, name, queue,"
                        + " capability, args) SELECT gen_random_uuid(), '" + until
                        + "'::timestamptz - (100000 - i) * interval '1 ms', now(), now(), 0, 1, 0, 'completed', 'a', 'default', '',"
                        + " '{\"filling\": \"" + "x".repeat(100) + "\"}' FROM generate_series(1, 100000) i");
        database.execute("SELECT muster_summarize_history('" + until + "')");
    }

    private String plan(String name, Instant after, Instant upTo) throws SQLException {
        SqlFiles files = new SqlFiles("public");
        try (Connection connection = database.transaction();
                Statement settings = connection.createStatement();
                PreparedStatement statement =
                        connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + files.get(name))) {
            settings.execute(files.get("transactions/block_ranges"));
            bind(statement, after, upTo);
            StringBuilder plan = new StringBuilder();
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
            connection.rollback();
            return plan.toString();
        }
    }

    private static void bind(PreparedStatement statement, Instant after, Instant upTo) throws SQLException {
        OffsetDateTime from = after.atOffset(ZoneOffset.UTC);
        OffsetDateTime to = upTo.atOffset(ZoneOffset.UTC);
        statement.setObject(1, from);
        statement.setObject(2, to);
        statement.setObject(3, from);
        statement.setObject(4, new UUID(0, 0));
        statement.setObject(5, to);
        statement.setObject(6, new UUID(-1, -1));
        if (statement.getParameterMetaData().getParameterCount() > 6) {
            statement.setInt(7, 500);
        }
    }

    private static long pages(String plan) {
        Matcher matcher = PAGES.matcher(plan);
        assertThat(matcher.find()).as(plan).isTrue();
        return number(matcher.group(1)) + number(matcher.group(2));
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    @ParameterizedTest
    @ValueSource(strings = {"events/ended", "events/count_ended"})
    void aRoundReadsItsStretchAlone(String statement) throws SQLException {
        Instant now = Instant.parse(database.column("SELECT to_char(date_trunc('day', now() AT TIME ZONE 'UTC')"
                        + " + interval '12 hours', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
                .get(0));
        endJobs(now);
        for (String statistics : new String[] {"reltuples = -1, relpages = 0", "reltuples = 1e7, relpages = 500000"}) {
            database.execute("UPDATE pg_class SET " + statistics + " WHERE relname ~ '^muster_job_history'");

            String plan = plan(statement, now.minusSeconds(1), now);

            assertThat(plan).contains("Bitmap Heap Scan").doesNotContain("Seq Scan");
            assertThat(pages(plan))
                    .as(
                            "of %s pages: %s",
                            database.column("SELECT pg_relation_size('muster_job_history_"
                                    + now.toString().substring(0, 10).replace("-", "") + "') / 8192"),
                            plan)
                    .isLessThan(400);
        }
    }

    @Test
    void atMidnightItReadsTwoDaysAndNoOther() throws SQLException {
        Instant midnight = Instant.parse(database.column(
                        "SELECT to_char(date_trunc('day', now() AT TIME ZONE 'UTC'), 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
                .get(0));
        endJobs(midnight.plusSeconds(50));

        String plan = plan("events/ended", midnight.minusSeconds(1), midnight.plusSeconds(1));

        assertThat(Pattern.compile("Bitmap Heap Scan on muster_job_history_")
                        .matcher(plan)
                        .results())
                .as(plan)
                .hasSize(2);
        assertThat(plan).contains("rows=500").doesNotContain("Seq Scan");
    }
}
