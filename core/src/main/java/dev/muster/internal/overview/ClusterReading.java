package dev.muster.internal.overview;

import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.NodeRole;
import dev.muster.daemon.DaemonInfo;
import dev.muster.job.JobCount;
import dev.muster.job.QueueInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What was read of a cluster, for all checks.
 *
 * @param at when, by the clock of the database that people read
 * @param queues those with live jobs, paused ones and limited ones
 * @param oldestDue the jobs that have been due for longest, by name and queue
 * @param missing what could not be read in time, in words: "the counts of jobs"
 */
public record ClusterReading(
        Instant at,
        List<NodeInfo> nodes,
        List<LeaderInfo> leaders,
        List<QueueInfo> queues,
        List<DaemonInfo> daemons,
        DeadLetters deadLetters,
        List<DueJobs> oldestDue,
        List<BlockedRuns> blockedRuns,
        List<CronProblem> cronProblems,
        List<String> missing) {

    public ClusterReading {
        nodes = List.copyOf(nodes);
        leaders = List.copyOf(leaders);
        queues = List.copyOf(queues);
        daemons = List.copyOf(daemons);
        oldestDue = List.copyOf(oldestDue);
        blockedRuns = List.copyOf(blockedRuns);
        cronProblems = List.copyOf(cronProblems);
        missing = List.copyOf(missing);
    }

    /**
     * Jobs that failed for good.
     *
     * @param last when the last one did
     */
    public record DeadLetters(JobCount lastDay, JobCount lastHour, Optional<Instant> last) {
        static final DeadLetters UNKNOWN = new DeadLetters(JobCount.atLeast(0), JobCount.atLeast(0), Optional.empty());
    }

    /**
     * Some of the jobs that no node has claimed although they are due.
     *
     * @param since when the first of them became due
     * @param jobs how many were seen
     */
    public record DueJobs(String name, String queue, Instant since, JobCount jobs) {}

    /**
     * The live runs of a version of a workflow that no live node can resume.
     *
     * @param reason why, as the first of them says
     * @param since when the first of them was marked
     */
    public record BlockedRuns(String workflow, String version, String reason, Instant since, JobCount runs) {}

    /**
     * A cron whose last tick enqueued no job.
     *
     * @param due since when the tick is due; empty if that is not known
     */
    public record CronProblem(String name, String problem, Optional<Instant> due) {}

    /** For how long something has been so. */
    Duration since(Instant then) {
        Duration age = Duration.between(then, at);
        return age.isNegative() ? Duration.ZERO : age;
    }

    boolean isPaused(String queue) {
        return queues.stream()
                .anyMatch(one -> one.name().equals(queue) && one.pausedAt().isPresent());
    }

    /** The nodes that take jobs. */
    List<NodeInfo> workers() {
        return nodes.stream()
                .filter(node -> node.roles().contains(NodeRole.WORKER))
                .filter(node -> node.apparentStatus() == NodeStatus.ACTIVE
                        || node.apparentStatus() == NodeStatus.STALE
                        || node.apparentStatus() == NodeStatus.JOINING)
                .toList();
    }
}
