package dev.muster.testkit;

import dev.muster.job.JobId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The jobs that have not ended, and what each of them waits for. */
final class LiveJobs {
    private final DataSource dataSource;
    private final String schema;

    LiveJobs(DataSource dataSource, String schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /**
     * One job that has not ended.
     *
     * @param dueIn the time until it is due; negative or zero if it is due
     * @param node the node that has claimed it; null if none has
     * @param unblocked whether it waits for jobs that have all ended, so that it is about to be freed or cancelled
     */
    record Live(
            JobId id,
            String name,
            String status,
            String capability,
            Duration dueIn,
            boolean paused,
            int attempt,
            @Nullable String node,
            @Nullable String error,
            boolean unblocked) {

        boolean isDue() {
            return status.equals("pending") && !paused && dueIn.compareTo(Duration.ZERO) <= 0;
        }

        /** Whether the job can make progress without time passing. */
        boolean isOpen() {
            return isDue() || node != null || unblocked;
        }

        String describe(Collection<String> handled) {
            String why;
            if (node != null) {
                why = status + " by " + node;
            } else if (status.equals("waiting")) {
                why = "waits for other jobs";
            } else if (paused) {
                why = "its queue is paused";
            } else if (!isDue()) {
                why = "due in " + dueIn.truncatedTo(java.time.temporal.ChronoUnit.MILLIS);
            } else if (handled.contains(name)) {
                why = "due";
            } else {
                why = "due, but there is no handler for it here; there are handlers for " + new TreeSet<>(handled);
            }
            String failure = error == null
                    ? ""
                    : ", after attempt " + attempt + " failed: "
                            + error.lines().findFirst().orElse("");
            return name + " " + id + ": " + why
                    + (capability.isEmpty() ? "" : ", needs capability '" + capability + "'") + failure;
        }
    }

    /** All live jobs, sorted by due time. */
    List<Live> all() {
        String sql = """
                SELECT j.id, j.name, j.status, j.capability, j.attempt, j.node_id, j.error,
                       (date_part('epoch', nullif(j.ready_at, 'infinity') - %1$s.muster_clock()) * 1e6)::bigint AS due_micros,
                       q.paused_at IS NOT NULL AS paused,
                       j.status = 'waiting' AND NOT EXISTS (
                         SELECT FROM %1$s.muster_job_dependencies d JOIN %1$s.muster_jobs p ON p.id = d.parent
                         WHERE d.child = j.id) AS unblocked
                FROM %1$s.muster_jobs j LEFT JOIN %1$s.muster_queues q ON q.name = j.queue
                ORDER BY j.ready_at, j.id""".formatted(schema);
        List<Live> jobs = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                jobs.add(new Live(
                        new JobId(rows.getObject("id", UUID.class)),
                        rows.getString("name"),
                        rows.getString("status"),
                        rows.getString("capability"),
                        Duration.ofNanos(rows.getLong("due_micros") * 1_000),
                        rows.getBoolean("paused"),
                        rows.getInt("attempt"),
                        rows.getString("node_id"),
                        rows.getString("error"),
                        rows.getBoolean("unblocked")));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the live jobs could not be read: " + e.getMessage(), e);
        }
        return jobs;
    }

    Set<String> capabilities() {
        return all().stream().map(Live::capability).filter(c -> !c.isEmpty()).collect(Collectors.toSet());
    }

    /** The time until this job is due or, if {@code id} is null, the first job with one of these names. */
    Optional<Duration> untilDue(Collection<String> names, @Nullable JobId id) {
        return all().stream()
                .filter(job -> job.status().equals("pending") && !job.paused() && names.contains(job.name()))
                .filter(job -> id == null || job.id().equals(id))
                .map(Live::dueIn)
                .findFirst();
    }

    /** Each job on its own line. */
    static String describe(List<Live> jobs, Collection<String> handled) {
        return jobs.isEmpty()
                ? "  (no job)"
                : jobs.stream().map(job -> "  " + job.describe(handled)).collect(Collectors.joining("\n"));
    }
}
