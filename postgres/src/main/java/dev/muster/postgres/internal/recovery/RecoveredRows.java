package dev.muster.postgres.internal.recovery;

import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.RetryPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Reads the rows that {@code jobs/parts/requeue_lost} returns. */
public final class RecoveredRows {
    private RecoveredRows() {}

    public static List<Recovered> read(ResultSet rows) throws SQLException {
        List<Recovered> recovered = new ArrayList<>();
        while (rows.next()) {
            recovered.add(new Recovered(
                    new JobId(rows.getObject("id", UUID.class)),
                    rows.getLong("token"),
                    rows.getString("name"),
                    new Lane(rows.getString("queue"), rows.getString("capability")),
                    rows.getString("node_id"),
                    Duration.ofMillis(rows.getLong("lease_age_ms")),
                    rows.getBoolean("crash"),
                    JobStatus.stored(rows.getString("next_status")),
                    rows.getInt("attempt"),
                    maxAttempts(rows),
                    rows.getInt("crashes"),
                    rows.getString("end_error")));
        }
        return recovered;
    }

    /** The default applies if the job has no limit and its start was not recorded with its handler's limit. */
    private static int maxAttempts(ResultSet rows) throws SQLException {
        int limit = rows.getInt("max_attempts");
        return rows.wasNull() ? RetryPolicy.DEFAULT_MAX_ATTEMPTS : limit;
    }
}
