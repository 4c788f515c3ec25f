package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many pages a statement visits, which does not depend on how fast the machine is. */
public final class VisitedPages {
    private VisitedPages() {}

    /** The pages that the statement visits once its plan is there. */
    public static long of(FreshDatabase database, String sql) throws SQLException {
        try (Connection connection = database.transaction();
                Statement statement = connection.createStatement()) {
            statement.execute(new SqlFiles("public").get("jobs/preamble"));
            statement.execute(sql);
            StringBuilder plan = new StringBuilder();
            try (ResultSet rows = statement.executeQuery("EXPLAIN (ANALYZE, BUFFERS) " + sql)) {
                while (rows.next()) {
                    plan.append(rows.getString(1)).append('\n');
                }
            }
            connection.rollback();
            Matcher pages =
                    Pattern.compile("shared hit=(\\d+)(?: read=(\\d+))?").matcher(plan);
            assertThat(pages.find()).as(plan.toString()).isTrue();
            return Long.parseLong(pages.group(1)) + (pages.group(2) == null ? 0 : Long.parseLong(pages.group(2)));
        }
    }
}
