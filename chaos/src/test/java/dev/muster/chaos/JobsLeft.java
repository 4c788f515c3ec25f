package dev.muster.chaos;

import dev.muster.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Describes the jobs that have not ended, who holds them, and the nodes: why a test has waited for their end in vain. */
final class JobsLeft {
    private static final int JOBS = 10;
    private static final int LINES = 5;

    private final TestDatabase database;
    private final Collection<NodeProcess> processes;

    /** @param processes all that the test has started; the last lines of those that are alive are shown */
    JobsLeft(TestDatabase database, Collection<NodeProcess> processes) {
        this.database = database;
        this.processes = processes;
    }

    String describe() {
        List<String> lines = new ArrayList<>();
        lines.addAll(ended());
        lines.addAll(jobs());
        lines.addAll(queues());
        lines.addAll(nodes());
        processes.stream().filter(NodeProcess::isAlive).forEach(process -> {
            List<String> output = process.output();
            lines.add("process " + process.pid() + (process.isReady() ? "" : ", which is not up yet") + ":");
            output.stream()
                    .skip(Math.max(0, output.size() - LINES))
                    .map(line -> "    " + line)
                    .forEach(lines::add);
        });
        return String.join("\n", lines);
    }

    /** Tells jobs that end slowly from jobs that stand still. */
    private List<String> ended() {
        return database.column(
                "SELECT format('%s jobs have ended, %s of them within the last 30 s, the last one %s ago',"
                        + " count(*), count(*) FILTER (WHERE finished_at > muster_clock() - interval '30 s'),"
                        + " muster_clock() - max(finished_at)) FROM muster_job_history");
    }

    /** Jobs that somebody holds come first. A job that is held and not named by a note is found by none but the slowest search. */
    private List<String> jobs() {
        List<String> lines = database.column(
                "SELECT format('%s jobs are %s', count(*), status) FROM muster_jobs GROUP BY status ORDER BY status");
        lines.addAll(database.column(
                "SELECT format('job %s: %s, queue %s, rank %s, ready %s from now, attempt %s, crashes %s, suspect %s',"
                        + " j.id, j.status, j.queue, j.rank, j.ready_at - muster_clock(), j.attempt, j.crashes, j.suspect)"
                        + " || coalesce(', group ' || j.concurrency_group, '')"
                        + " || CASE WHEN j.token IS NULL THEN '' ELSE format(', held by %s, lease ends %s from now, named by %s notes',"
                        + " j.node_id, j.lease_until - muster_clock(),"
                        + " (SELECT count(*) FROM muster_claims c WHERE c.node_id = j.node_id AND j.id = ANY (c.ids))) END"
                        + " FROM muster_jobs j ORDER BY j.token IS NULL, j.ready_at LIMIT " + JOBS));
        return lines;
    }

    private List<String> queues() {
        return database.column(
                "SELECT format('queue %s: at most %s at a time%s; its places are used by %s jobs', q.name, q.max_running,"
                        + " CASE WHEN q.paused_at IS NULL THEN '' ELSE ', paused' END,"
                        + " (SELECT count(DISTINCT j.id) FROM muster_claims c CROSS JOIN unnest(c.ids) AS named (id)"
                        + " JOIN muster_jobs j ON j.id = named.id AND j.node_id = c.node_id AND j.token IS NOT NULL WHERE c.queue = q.name))"
                        + " FROM muster_queues q ORDER BY q.name");
    }

    private List<String> nodes() {
        return database.column(
                "SELECT format('node %s: %s, last heartbeat %s ago, leads %s', n.id, n.status,"
                        + " muster_clock() - n.last_heartbeat,"
                        + " coalesce((SELECT string_agg(l.role, ', ') FROM muster_leaders l WHERE l.node_id = n.id"
                        + " AND l.expires_at > muster_clock()), 'nothing')) FROM muster_nodes n ORDER BY n.last_heartbeat DESC");
    }
}
