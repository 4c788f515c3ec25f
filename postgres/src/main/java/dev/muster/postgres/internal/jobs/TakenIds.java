package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.Database;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Ids that callers have chosen and that exist already. Who sends the same again gets what is there; who sends something else under the same id
 * is told so, because it would never run.
 */
public final class TakenIds {
    private final Database database;

    public TakenIds(Database database) {
        this.database = database;
    }

    /**
     * @param added those that were written now
     * @throws InvalidJob if one of the others has the id of a job with another name, or of a run
     */
    void check(Connection connection, List<NewJob> jobs, List<NewJob> added) throws SQLException {
        if (added.size() == jobs.size()) {
            return;
        }
        Set<JobId> fresh = added.stream().map(NewJob::id).collect(Collectors.toSet());
        List<NewJob> found = jobs.stream()
                .filter(job -> job.idGiven() && !fresh.contains(job.id()))
                .toList();
        if (found.isEmpty()) {
            return;
        }
        Map<JobId, Set<String>> names =
                names(connection, found.stream().map(NewJob::id).toList());
        for (NewJob job : found) {
            Set<String> holders = names.getOrDefault(job.id(), Set.of());
            if (!holders.isEmpty() && !holders.contains(job.name())) {
                check(job, holders.iterator().next());
            }
        }
    }

    /** @throws InvalidJob if two of these jobs have one id and different names */
    static void check(NewJob job, @Nullable String sameId) {
        if (sameId != null && !sameId.equals(job.name())) {
            throw new InvalidJob(sentence(job.id(), "job '" + job.name() + "'", holderOf(sameId)));
        }
    }

    /** The names of the jobs, live or ended, that have these ids; drivers of runs among them. An id may have a live job and an ended one. */
    public Map<JobId, Set<String>> names(Connection connection, List<JobId> ids) throws SQLException {
        List<UUID> values = ids.stream().map(JobId::value).toList();
        Map<JobId, Set<String>> names = new HashMap<>();
        database.query("jobs/names_of_ids")
                .with(p -> p.uuids(values).uuids(values))
                .each(
                        connection,
                        row -> names.computeIfAbsent(new JobId(row.getObject(1, UUID.class)), id -> new TreeSet<>())
                                .add(row.getString(2)));
        return names;
    }

    /** The refusal of a run. */
    public static MusterException refusal(JobId id, String workflow, String holder) {
        return new MusterException(sentence(id, runOf(workflow), holder));
    }

    public static String runOf(String workflow) {
        return "a run of workflow '" + workflow + "'";
    }

    /** What people call the holder of an id: a job, or the run that this job drives. */
    public static String holderOf(String name) {
        return DriverJobs.workflowOf(name).map(TakenIds::runOf).orElse("job '" + name + "'");
    }

    private static String sentence(JobId id, String wanted, String holder) {
        return wanted + " cannot have the id " + id + ", because it is that of " + holder + "; use another id";
    }
}
