package dev.muster.migrating.jobrunr;

import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.migrating.MusterSide;
import dev.muster.migrating.Welcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.jobs.states.ScheduledState;

/** Moves jobs that wait in JobRunr's table to Muster. */
final class MoveJobs {
    private MoveJobs() {}

    // show: move
    private static final String TAKE = """
            WITH taken AS MATERIALIZED (
              SELECT id FROM jobrunr_jobs
              WHERE state IN ('ENQUEUED', 'SCHEDULED') AND recurringJobId IS NULL
                AND (jobSignature LIKE '%WelcomeHandler.run(%' OR jobSignature LIKE '%Mails.sendWelcome(%')
              LIMIT ? FOR UPDATE SKIP LOCKED)
            DELETE FROM jobrunr_jobs j USING taken WHERE j.id = taken.id
            RETURNING j.jobAsJson""";

    /** Moves up to {@code limit} jobs that no server has taken, all or none; returns how many. */
    static int move(DataSource database, JobMapper mapper, Jobs jobs, int limit) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement take = connection.prepareStatement(TAKE)) {
            connection.setAutoCommit(false);
            take.setInt(1, limit);
            List<JobRequest> requests = new ArrayList<>();
            try (ResultSet rows = take.executeQuery()) {
                while (rows.next()) {
                    requests.add(request(mapper.deserializeJob(rows.getString(1))));
                }
            }
            jobs.in(connection).enqueueAll(requests);
            connection.commit(); // the rows are gone there and the jobs are here, or neither
            return requests.size();
        }
    }

    private static JobRequest request(Job job) {
        Object[] values = job.getJobDetails().getJobParameterValues(); // of a lambda: the arguments of its call
        Welcome args = values[0] instanceof JobRunrSide.WelcomeRequest old
                ? new Welcome(old.address(), old.customerId())
                : new Welcome((String) values[0], (Long) values[1]);
        JobRequest request = JobRequest.of(MusterSide.WELCOME, args).key("jobrunr " + job.getId());
        return job.getJobState() instanceof ScheduledState scheduled ? request.at(scheduled.getScheduledAt()) : request;
    }
    // end
}
