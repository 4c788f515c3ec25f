package dev.muster.spring.internal;

import static java.util.stream.Collectors.toMap;

import dev.muster.Muster;
import dev.muster.cluster.NodeStatus;
import dev.muster.document.internal.JobCountsDocument;
import dev.muster.document.internal.OverviewDocument;
import dev.muster.job.JobCount;
import dev.muster.job.JobStatus;
import dev.muster.overview.Overview;
import dev.muster.runtime.Health;
import dev.muster.telemetry.MinuteMetrics.Minute;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * This node and its cluster at a glance, in the words of the gateway and of {@code -o json}, and no more than fits into a glance: what is zero is
 * left out, and the last hour is one sum.
 */
public final class ClusterReport {
    private ClusterReport() {}

    /** @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached */
    public static Map<String, Object> of(Muster muster) {
        Health health = muster.health();
        Map<String, Object> node = new LinkedHashMap<>();
        node.put("id", muster.nodeId());
        node.put("healthy", health.ok());
        if (!health.detail().isEmpty()) {
            node.put("detail", health.detail());
        }
        if (!muster.ports().isEmpty()) {
            node.put("ports", muster.ports());
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("version", Muster.version());
        report.put("node", node);
        report.put("cluster", cluster(muster.overview()));
        return report;
    }

    static Map<String, @Nullable Object> cluster(Overview overview) {
        Map<String, @Nullable Object> cluster = new LinkedHashMap<>(OverviewDocument.write(overview));
        Map<JobStatus, JobCount> counts = new EnumMap<>(overview.counts());
        counts.values().removeIf(count -> count.count() == 0 && count.exact());
        cluster.put("counts", JobCountsDocument.write(counts).get("counts"));
        Map<NodeStatus, Long> nodes = new EnumMap<>(overview.nodes());
        nodes.values().removeIf(count -> count == 0);
        cluster.put(
                "nodes",
                nodes.entrySet().stream().collect(toMap(entry -> entry.getKey().text(), Map.Entry::getValue)));
        Map<String, Object> leaders = new LinkedHashMap<>();
        overview.leaders()
                .forEach(leader -> leaders.put(leader.role(), leader.node().orElse("nobody")));
        cluster.put("leaders", leaders);
        cluster.remove("minutes");
        cluster.put("last_hour", lastHour(overview));
        return cluster;
    }

    private static Map<String, Long> lastHour(Overview overview) {
        Map<String, Long> sums = new LinkedHashMap<>();
        add(sums, "completed", overview, Minute::completed);
        add(sums, "failed", overview, Minute::failed);
        add(sums, "cancelled", overview, Minute::cancelled);
        add(sums, "expired", overview, Minute::expired);
        return sums;
    }

    private static void add(Map<String, Long> sums, String name, Overview overview, ToLongFunction<Minute> part) {
        long sum = overview.minutes().stream().mapToLong(part).sum();
        if (sum > 0) {
            sums.put(name, sum);
        }
    }
}
