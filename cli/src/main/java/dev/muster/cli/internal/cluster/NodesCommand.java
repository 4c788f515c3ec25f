package dev.muster.cli.internal.cluster;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.cli.internal.database.Session;
import dev.muster.cluster.NodeInfo;
import dev.muster.config.NodeRole;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.NodeDocument;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the nodes. */
@Command(
        name = "nodes",
        description =
                "List the nodes. An overdue node is shown as dead, even before another node has declared it dead.")
final class NodesCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            List<NodeInfo> nodes = session.cluster().nodes();
            output.print(() -> JsonObjectWriter.list(nodes, NodeDocument::write), () -> table(nodes));
        }
        return ExitCode.DONE;
    }

    private static String table(List<NodeInfo> nodes) {
        if (nodes.isEmpty()) {
            return "no nodes";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table(
                "ID",
                "NAME",
                "VERSION",
                "STATUS",
                "ROLES",
                "JOBS",
                "EXECUTORS",
                "HANDLERS",
                "FUNCTIONS",
                "CAPABILITIES",
                "LABELS",
                "STARTED",
                "HEARTBEAT");
        boolean showExecutors = ExecutorsOutput.areWorthShowing(nodes);
        for (NodeInfo node : nodes) {
            table.row(
                    node.id(),
                    node.name().orElse("-"),
                    node.version().orElse("-"),
                    node.apparentStatus().text(),
                    roles(node),
                    node.currentJobs(),
                    showExecutors ? ExecutorsOutput.text(node.executors()) : "-",
                    node.handlers().size(),
                    node.functions().isEmpty() ? "-" : node.functions().size(),
                    String.join(",", node.capabilities()),
                    labels(node),
                    ages.of(node.startedAt()),
                    Ages.brief(node.heartbeatAge()) + " ago, every " + Ages.brief(node.heartbeatInterval()));
        }
        return table.without("NAME", "VERSION", "EXECUTORS", "FUNCTIONS", "LABELS")
                .toString();
    }

    private static String labels(NodeInfo node) {
        return node.labels().isEmpty()
                ? "-"
                : node.labels().entrySet().stream()
                        .map(label -> label.getKey() + "=" + label.getValue())
                        .collect(Collectors.joining(","));
    }

    private static String roles(NodeInfo node) {
        return node.roles().size() == NodeRole.values().length
                ? "all"
                : node.roles().stream().map(NodeRole::text).collect(Collectors.joining(","));
    }
}
