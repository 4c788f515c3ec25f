package dev.muster.migrating.dbscheduler;

import com.github.kagkarlsson.scheduler.serializer.Serializer;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.migrating.MusterSide;
import dev.muster.migrating.Welcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Moves executions that wait in db-scheduler's table to Muster. */
final class MoveExecutions {
    private MoveExecutions() {}

    // show: move
    private static final String TAKE = """
            WITH taken AS MATERIALIZED (
              SELECT task_name, task_instance FROM scheduled_tasks
              WHERE task_name = 'welcome_mail' AND NOT picked
              ORDER BY execution_time LIMIT ? FOR UPDATE SKIP LOCKED)
            DELETE FROM scheduled_tasks t USING taken
            WHERE t.task_name = taken.task_name AND t.task_instance = taken.task_instance
            RETURNING t.task_instance, t.execution_time, t.task_data""";

    /** Moves up to {@code limit} executions that no scheduler has picked, all or none; returns how many. */
    static int move(DataSource database, Jobs jobs, int limit) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement take = connection.prepareStatement(TAKE)) {
            connection.setAutoCommit(false);
            take.setInt(1, limit);
            List<JobRequest> requests = new ArrayList<>();
            try (ResultSet rows = take.executeQuery()) {
                while (rows.next()) {
                    Instant due = rows.getObject(2, OffsetDateTime.class).toInstant();
                    Welcome args = Serializer.DEFAULT_JAVA_SERIALIZER.deserialize(Welcome.class, rows.getBytes(3));
                    requests.add(JobRequest.of(MusterSide.WELCOME, args)
                            .key("db-scheduler " + rows.getString(1) + " " + due)
                            .at(due));
                }
            }
            jobs.in(connection).enqueueAll(requests);
            connection.commit(); // the rows are gone there and the jobs are here, or neither
            return requests.size();
        }
    }
    // end
}
