package dev.muster.internal.overview;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.daemon.DaemonStore;
import dev.muster.internal.job.store.QueueStore;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.overview.ClusterReading.DeadLetters;
import dev.muster.internal.overview.ClusterReading.DueJobs;
import dev.muster.job.JobCount;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.overview.Overview;
import dev.muster.runtime.ReadTookTooLong;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Reads the overview of a cluster. */
public final class OverviewReader {
    /** How long one statement may take. */
    static final Duration PATIENCE = Duration.ofMillis(250);

    private static final int MINUTES = 60;
    private static final String COUNTS = "the counts of jobs";

    private final OverviewStore store;
    private final QueueStore queues;
    private final NodeStore nodes;
    private final DaemonStore daemons;
    private final MaintenanceStore maintenance;

    public OverviewReader(
            OverviewStore store,
            QueueStore queues,
            NodeStore nodes,
            DaemonStore daemons,
            MaintenanceStore maintenance) {
        this.store = store;
        this.queues = queues;
        this.nodes = nodes;
        this.daemons = daemons;
        this.maintenance = maintenance;
    }

    public Overview read() {
        ClusterReading cluster = readCluster();
        return new Overview(
                cluster.at(),
                counts(cluster),
                maintenance.lastMinutes(MINUTES),
                byStatus(cluster.nodes()),
                cluster.leaders(),
                Checks.findings(cluster));
    }

    /** What all checks look at. */
    public ClusterReading readCluster() {
        List<String> missing = new ArrayList<>();
        Instant at = store.readTime();
        List<QueueInfo> counted = read(COUNTS, queues::list, List.of(), missing);
        // The same dead rows would keep this from being answered.
        List<DueJobs> due =
                missing.isEmpty() ? read("the jobs that are due", store::oldestDue, List.of(), missing) : List.of();
        return new ClusterReading(
                at,
                nodes.list(),
                nodes.listLeaders(),
                counted,
                daemons.list(),
                read("the jobs that failed", store::deadLetters, DeadLetters.UNKNOWN, missing),
                due,
                read("the runs that are blocked", store::blockedRuns, List.of(), missing),
                read("the crons with problems", store::cronProblems, List.of(), missing),
                missing);
    }

    private static <T> T read(String what, Function<Duration, T> reading, T otherwise, List<String> missing) {
        try {
            return reading.apply(PATIENCE);
        } catch (ReadTookTooLong e) {
            missing.add(what);
            return otherwise;
        }
    }

    private static Map<JobStatus, JobCount> counts(ClusterReading cluster) {
        Map<JobStatus, JobCount> counts = new EnumMap<>(JobStatus.class);
        boolean known = !cluster.missing().contains(COUNTS);
        counts.put(JobStatus.WAITING, count(cluster, JobStatus.WAITING, QueueInfo::waiting, known));
        counts.put(JobStatus.PENDING, count(cluster, JobStatus.PENDING, QueueInfo::pending, known));
        counts.put(JobStatus.CLAIMED, count(cluster, JobStatus.CLAIMED, QueueInfo::claimed, known));
        counts.put(JobStatus.RUNNING, count(cluster, JobStatus.RUNNING, QueueInfo::running, known));
        counts.put(JobStatus.FAILED, cluster.deadLetters().lastDay());
        return counts;
    }

    private static JobCount count(
            ClusterReading cluster, JobStatus status, ToLongFunction<QueueInfo> count, boolean known) {
        boolean exact =
                cluster.queues().stream().noneMatch(queue -> queue.atLeast().contains(status));
        return new JobCount(cluster.queues().stream().mapToLong(count).sum(), known && exact);
    }

    private static Map<NodeStatus, Long> byStatus(List<NodeInfo> nodes) {
        Map<NodeStatus, Long> counts = new EnumMap<>(NodeStatus.class);
        NodeStatus.known().forEach(status -> counts.put(status, 0L));
        nodes.forEach(node -> counts.merge(node.apparentStatus(), 1L, Long::sum));
        return counts;
    }
}
