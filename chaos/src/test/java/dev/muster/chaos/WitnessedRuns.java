package dev.muster.chaos;

import dev.muster.testkit.TestDatabase;
import java.util.OptionalLong;

/**
 * Runs of jobs as the witness saw them, on nodes that a {@link NodeKiller} kills and freezes: from the step {@code entered} until the next
 * step with the same token, or until the death of the node. Of a node that is frozen for longer than {@value #DEAD_AFTER}, others may take
 * the jobs back: their runs end by then.
 */
final class WitnessedRuns {
    /** Less than {@code cluster.dead_threshold}, because a node may have been silent for a moment when it is frozen. */
    private static final String DEAD_AFTER = "9 seconds";

    private final TestDatabase database;
    private final String runs;

    /** @param jobs which jobs: a condition on {@code muster_jobs} and {@code muster_job_history} */
    WitnessedRuns(TestDatabase database, String jobs) {
        this(database, jobs, "''");
    }

    /** @param each what jobs must have in common to be counted together: an expression of {@code muster_jobs}, such as {@code queue} */
    WitnessedRuns(TestDatabase database, String jobs, String each) {
        this.database = database;
        this.runs = "WITH job AS (SELECT id, " + each + " AS kind FROM muster_jobs WHERE " + jobs
                + " UNION SELECT id, " + each + " FROM muster_job_history WHERE " + jobs + "),"
                + " run AS (SELECT e.node, min(job.kind) AS kind, min(e.at) AS entered, min(e.at) FILTER (WHERE e.step <> 'entered') AS left_at"
                + " FROM witness_effects e JOIN job ON job.id = e.job GROUP BY e.job, e.node, e.token),"
                + " ended AS (SELECT r.kind, r.entered, coalesce(least(r.left_at, frozen.dead), k.at, 'infinity') AS over,"
                + " k.at AS killed FROM run r LEFT JOIN killed_nodes k ON k.node = r.node"
                + " CROSS JOIN LATERAL (SELECT min(f.since) + interval '" + DEAD_AFTER + "' AS dead FROM frozen_nodes f"
                + " WHERE f.node = r.node AND f.since BETWEEN r.entered - interval '1 second'"
                + " AND coalesce(r.left_at, k.at, 'infinity') AND f.until > f.since + interval '" + DEAD_AFTER
                + "') frozen)";
    }

    /** How many ran at the same time at most. */
    long mostAtATime() {
        return database.number(runs + atATime("true") + " SELECT max(running) FROM moment");
    }

    /**
     * How long after the last kill this many ran at the same time on nodes that were not killed, in milliseconds; nothing if they have not
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
        return ", change AS (SELECT kind, entered AS at, 1 AS step FROM ended WHERE " + condition
                + " UNION ALL SELECT kind, over, -1 FROM ended WHERE " + condition + "),"
                + " moment AS (SELECT at, sum(step) OVER changes AS running, lead(at) OVER changes AS until"
                + " FROM change WINDOW changes AS (PARTITION BY kind ORDER BY at, step))";
    }
}
