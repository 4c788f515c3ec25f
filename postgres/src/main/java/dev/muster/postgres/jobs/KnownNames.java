package dev.muster.postgres.jobs;

import dev.muster.config.Nearest;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.Rows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Names that occur in the database. Neither jobs nor queues have to be registered, so a name that is missing here may still be
 * right.
 *
 * @param jobs names of jobs
 * @param queues names of queues
 * @param usedQueues the queues that jobs, handlers, crons or nodes use, without those that were only paused or resumed
 */
public record KnownNames(Set<String> jobs, Set<String> queues, Set<String> usedQueues) {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    public KnownNames {
        jobs = Set.copyOf(jobs);
        queues = Set.copyOf(queues);
        usedQueues = Set.copyOf(usedQueues);
    }

    /** Hints about a job name and a queue that do not occur in the database; null for one that was not given. */
    public List<String> sentencesAboutUnknown(@Nullable String job, @Nullable String queue) {
        List<String> sentences = new ArrayList<>();
        if (job != null && !jobs.contains(job)) {
            sentences.add("no handler and no recent job is called '" + job + "'" + Nearest.suggestion(job, jobs));
        }
        if (queue != null && !queues.contains(queue)) {
            sentences.add("no handler and no recent job has queue '" + queue + "'" + Nearest.suggestion(queue, queues));
        }
        return sentences;
    }

    public static KnownNames read(Database database) {
        return database.reading(LIMIT, connection -> {
            Set<String> jobs = new TreeSet<>();
            Set<String> queues = new TreeSet<>();
            Set<String> usedQueues = new TreeSet<>();
            database.query("names/known").each(connection, row -> {
                Rows.optionalText(row, "name").ifPresent(jobs::add);
                String queue = row.getString("queue");
                if (queue != null) {
                    queues.add(queue);
                    if (row.getBoolean("used")) {
                        usedQueues.add(queue);
                    }
                }
            });
            return new KnownNames(jobs, queues, usedQueues);
        });
    }
}
