package dev.muster.overview;

import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.job.JobCount;
import dev.muster.job.JobStatus;
import dev.muster.telemetry.MinuteMetrics.Minute;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A cluster at a glance.
 *
 * @param at when it was read, by the clock of the database that people read
 * @param counts the live jobs by status, and those that failed within the last day
 * @param minutes the last sixty minutes that were counted, all queues together
 * @param nodes how many nodes seem to have each status, as {@link dev.muster.cluster.NodeInfo#apparentStatus} says
 * @param attention what needs attention, the worst first
 */
public record Overview(
        Instant at,
        Map<JobStatus, JobCount> counts,
        List<Minute> minutes,
        Map<NodeStatus, Long> nodes,
        List<LeaderInfo> leaders,
        List<Finding> attention) {

    public Overview {
        counts = sorted(JobStatus.class, counts);
        minutes = List.copyOf(minutes);
        nodes = sorted(NodeStatus.class, nodes);
        leaders = List.copyOf(leaders);
        attention = List.copyOf(attention);
    }

    private static <K extends Enum<K>, V> Map<K, V> sorted(Class<K> type, Map<K, V> map) {
        Map<K, V> sorted = new EnumMap<>(type);
        sorted.putAll(map);
        return Collections.unmodifiableMap(sorted);
    }
}
