package dev.muster.cli.internal.cluster;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Counts;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.LeaderDocument;
import dev.muster.document.internal.OverviewDocument;
import dev.muster.document.internal.QueueDocument;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.overview.Finding;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the cluster at a glance. */
@Command(
        name = "status",
        description =
                "Show the cluster at a glance: nodes by status, slots of executors, leaders, backlog, what needs attention.")
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    private record Status(
            List<NodeInfo> nodes, List<LeaderInfo> leaders, List<QueueInfo> queues, List<Finding> attention) {

        /** Counts as the view muster_cluster does: an overdue node is dead, even before another node has declared it dead. */
        Map<NodeStatus, Long> byStatus() {
            Map<NodeStatus, Long> counts = new EnumMap<>(NodeStatus.class);
            nodes.forEach(node -> counts.merge(node.apparentStatus(), 1L, Long::sum));
            return counts;
        }

        long jobs(ToLongFunction<QueueInfo> count) {
            return queues.stream().mapToLong(count).sum();
        }

        Set<JobStatus> atLeast() {
            return queues.stream().flatMap(queue -> queue.atLeast().stream()).collect(Collectors.toSet());
        }

        String count(JobStatus each, ToLongFunction<QueueInfo> count) {
            return Counts.of(jobs(count), atLeast().contains(each)) + " " + each.text();
        }

        Optional<Instant> oldestDue() {
            return queues.stream().flatMap(queue -> queue.oldestDue().stream()).min(Instant::compareTo);
        }

        List<String> paused() {
            return queues.stream()
                    .filter(queue -> queue.pausedAt().isPresent())
                    .map(QueueInfo::name)
                    .toList();
        }
    }

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            Status status = new Status(
                    session.cluster().nodes(),
                    session.cluster().leaders(),
                    session.queues().list(),
                    session.cluster().overview().attention());
            output.print(() -> document(status), () -> text(status));
        }
        return ExitCode.DONE;
    }

    private static Map<String, @Nullable Object> document(Status status) {
        JsonObjectWriter nodes = new JsonObjectWriter();
        for (NodeStatus each : NodeStatus.known()) {
            nodes.put(each.text(), status.byStatus().getOrDefault(each, 0L));
        }
        return new JsonObjectWriter()
                .put("nodes", nodes.done())
                .put("executors", ExecutorsOutput.documentOfCluster(status.nodes()))
                .put("leaders", JsonObjectWriter.list(status.leaders(), LeaderDocument::write))
                .put("backlog", backlog(status))
                .put("paused_queues", status.paused())
                .put("attention", JsonObjectWriter.list(status.attention(), OverviewDocument::write))
                .done();
    }

    private static Map<String, @Nullable Object> backlog(Status status) {
        return new JsonObjectWriter()
                .put("waiting", status.jobs(QueueInfo::waiting))
                .put("pending", status.jobs(QueueInfo::pending))
                .put("claimed", status.jobs(QueueInfo::claimed))
                .put("running", status.jobs(QueueInfo::running))
                .put("oldest_due", status.oldestDue())
                .put("at_least", QueueDocument.atLeast(status.atLeast()))
                .done();
    }

    private static String text(Status status) {
        Ages ages = new Ages(Instant.now());
        String nodes = status.byStatus().entrySet().stream()
                .map(count -> count.getValue() + " " + count.getKey().text())
                .collect(Collectors.joining(", "));
        String leaders = status.leaders().stream()
                .filter(LeaderInfo::isHeld)
                .map(leader -> leader.role() + " on " + leader.node().orElseThrow())
                .collect(Collectors.joining(", "));
        String oldest = status.oldestDue()
                .map(due -> ", the oldest due " + ages.of(due))
                .orElse("");
        return "nodes    " + (nodes.isEmpty() ? "none" : nodes)
                + executors(status)
                + "\nleaders  " + (leaders.isEmpty() ? "none" : leaders)
                + "\nbacklog  " + status.count(JobStatus.PENDING, QueueInfo::pending) + oldest + "; "
                + status.count(JobStatus.CLAIMED, QueueInfo::claimed) + ", "
                + status.count(JobStatus.RUNNING, QueueInfo::running) + ", "
                + status.count(JobStatus.WAITING, QueueInfo::waiting)
                + (status.paused().isEmpty() ? "" : "\npaused   " + String.join(", ", status.paused()))
                + attention(status);
    }

    /** What needs attention, a line for each, the worst first. */
    private static String attention(Status status) {
        return status.attention().stream()
                .map(finding -> String.format("\n%-8s %s", finding.severity().text(), finding.message()))
                .collect(Collectors.joining());
    }

    private static String executors(Status status) {
        return ExecutorsOutput.areWorthShowing(status.nodes())
                ? "\nslots    " + ExecutorsOutput.textOfCluster(status.nodes())
                : "";
    }
}
