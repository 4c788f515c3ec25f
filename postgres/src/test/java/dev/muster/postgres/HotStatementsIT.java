package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The generic plans of the hot statements: the index each one relies on, whatever the statistics say. */
class HotStatementsIT {
    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
    }

    @AfterEach
    void close() {
        database.close();
    }

    static Stream<Arguments> statements() {
        return Stream.of(
                Arguments.of("jobs/claim", "Index Scan using muster_jobs_ready", "Tid Scan on muster_jobs"),
                Arguments.of("jobs/finish", "Index Scan using muster_jobs_pkey", "Function Scan on"),
                Arguments.of("jobs/finish_placed", "Tid Scan on muster_jobs", "Function Scan on"),
                Arguments.of("jobs/hand_back", "Index Scan using muster_jobs_pkey", "Function Scan on"),
                Arguments.of("jobs/renew", "Index Scan using muster_jobs_pkey", "LockRows"),
                Arguments.of("jobs/mark_running", "Index Scan using muster_jobs_pkey", "LockRows"),
                Arguments.of("jobs/held", "Index Scan using muster_jobs_pkey", "Function Scan on"),
                Arguments.of("jobs/accepted", "_id_idx", "Function Scan on"),
                Arguments.of("jobs/recover", "Index Scan using muster_jobs_lease", "Index Scan using muster_jobs_pkey"),
                Arguments.of("jobs/lanes", "Index Only Scan using muster_jobs_ready", "Recursive Union"),
                Arguments.of("jobs/next_due", "using muster_jobs_ready", "Function Scan on"));
    }

    @ParameterizedTest
    @MethodSource("statements")
    void genericPlansUseTheirIndex(String statement, String expected, String alsoExpected) throws SQLException {
        for (String statistics : new String[] {"empty", "huge", "never analyzed"}) {
            plant(statistics);
            String plan = genericPlan(statement);
            assertThat(plan)
                    .as(statement + " with " + statistics + " statistics")
                    .contains(expected)
                    .contains(alsoExpected)
                    .doesNotContain("Seq Scan")
                    .doesNotContain("Hash Join")
                    .doesNotContain("Merge Join");
        }
    }

    private void plant(String statistics) {
        switch (statistics) {
            case "empty" ->
                database.execute("UPDATE pg_class SET reltuples = 0, relpages = 0 WHERE relname LIKE 'muster_job%'");
            case "huge" ->
                database.execute(
                        "UPDATE pg_class SET reltuples = 10000000, relpages = 500000 WHERE relname LIKE 'muster_job%'");
            default ->
                database.execute("UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relname LIKE 'muster_job%'");
        }
    }

    private String genericPlan(String name) throws SQLException {
        SqlFiles files = new SqlFiles("public");
        int[] number = {0};
        // Settings around a statement stand in its file.
        String[] parts = files.get(name).split(";\n");
        String settings = parts.length > 1 ? ";" + parts[0] : "";
        String text = (parts.length > 1 ? parts[1] : parts[0])
                .chars()
                .collect(
                        StringBuilder::new,
                        (out, c) -> {
                            if (c == '?') {
                                out.append('$').append(++number[0]);
                            } else {
                                out.append((char) c);
                            }
                        },
                        StringBuilder::append)
                .toString();
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(files.get("jobs/preamble") + settings);
            statement.execute("PREPARE hot AS " + text);
            StringBuilder plan = new StringBuilder();
            String nulls = "NULL" + ", NULL".repeat(Math.max(0, number[0] - 1));
            ResultSet rows = statement.executeQuery("EXPLAIN EXECUTE hot" + (number[0] == 0 ? "" : "(" + nulls + ")"));
            while (rows.next()) {
                plan.append(rows.getString(1)).append('\n');
            }
            statement.execute("DEALLOCATE hot");
            connection.rollback();
            return plan.toString();
        }
    }

    @Test
    void theClaimLocksInsideItsLimit() throws SQLException {
        String plan = genericPlan("jobs/claim");
        assertThat(plan.indexOf("Limit")).isLessThan(plan.indexOf("LockRows"));
        assertThat(plan).contains("CTE picked").contains("InitPlan");
    }
}
