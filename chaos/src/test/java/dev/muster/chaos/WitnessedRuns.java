package dev.muster.chaos;

import dev.muster.testkit.TestDatabase;
import java.util.OptionalLong;

/**
 * Runs of jobs as the witness saw them, on nodes that a {@link NodeKiller} kills: from the step {@code entered} until the next step with
 * the same token, or until the death of the node.
 */
final class WitnessedRuns {
    private final TestDatabase database;
    private final String runs;

    /** @param jobs which jobs: a condition on {@code muster_jobs} and {@code muster_job_history} */
    WitnessedRuns(TestDatabase database, String jobs) {
        this.database = database;
        this.runs = "WITH job AS (SELECT id FROM muster_jobs WHERE " + jobs
                + " UNION SELECT id FROM muster_job_history WHERE " + jobs + "),"
                + " run AS (SELECT e.node, min(e.at) AS entered, min(e.at) FILTER (WHERE e.step <> 'entered') AS left_at"
                + " FROM witness_effects e JOIN job ON job.id = e.job GROUP BY e.job, e.node, e.token),"
                + " ended AS (SELECT r.entered, coalesce(r.left_at, k.at, 'infinity') AS over, k.at AS killed"
                + " FROM run r LEFT JOIN killed_nodes k ON k.node = r.node)";
    }

    /** How many ran at the same time at most. */
    long mostAtATime() {
        return database.number(runs + atATime("true") + " SELECT max(running) FROM moment");
    }

    /**
     * How long after the last kill so many ran at the same time on nodes that were not killed, in milliseconds; nothing if they have not
     * done so yet.
     */
    OptionalLong millisUntil(int atATime) {
        long millis = database.number(runs + atATime("killed IS NULL")
                + ", last AS (SELECT max(at) AS kill FROM killed_nodes) SELECT coalesce((extract(epoch FROM"
                + " min(greatest(moment.at, last.kill)) - min(last.kill)) * 1000)::bigint, -1) FROM moment, last"
                + " WHERE running >= " + atATime + " AND until > last.kill");
        return millis < 0 ? OptionalLong.empty() : OptionalLong.of(millis);
    }

    /** Of some runs: how many there are from each change of that number until the next one. */
    private static String atATime(String condition) {
        return ", change AS (SELECT entered AS at, 1 AS step FROM ended WHERE " + condition
                + " UNION ALL SELECT over, -1 FROM ended WHERE " + condition + "),"
                + " moment AS (SELECT at, sum(step) OVER changes AS running, lead(at) OVER changes AS until"
                + " FROM change WINDOW changes AS (ORDER BY at, step))";
    }
}
