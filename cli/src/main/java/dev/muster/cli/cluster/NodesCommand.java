package dev.muster.cli.cluster;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.Ages;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.console.Table;
import dev.muster.cli.database.Session;
import dev.muster.cluster.NodeInfo;
import dev.muster.config.NodeRole;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

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
        try (Session session = Session.toRead(settings.load())) {
            List<NodeInfo> nodes = session.muster().nodes();
            output.print(() -> document(nodes), () -> table(nodes));
        }
        return ExitCode.DONE;
    }

    private static ArrayNode document(List<NodeInfo> nodes) {
        ArrayNode list = Json.array();
        for (NodeInfo node : nodes) {
            ObjectNode entry = list.addObject()
                    .put("id", node.id())
                    .put("incarnation", node.incarnation().toString())
                    .put("name", node.name().orElse(null))
                    .put("version", node.version().orElse(null))
                    .put("status", node.status().text())
                    .put("apparent_status", node.apparentStatus().text())
                    .put("address", node.address().orElse(null));
            node.roles().forEach(role -> entry.withArray("roles").add(role.text()));
            if (node.queues().isPresent()) {
                node.queues().get().forEach(entry.putArray("queues")::add);
            } else {
                entry.putNull("queues");
            }
            node.capabilities().forEach(entry.putArray("capabilities")::add);
            ObjectNode labels = entry.putObject("labels");
            node.labels().forEach(labels::put);
            node.handlers().forEach(entry.putArray("handlers")::add);
            node.unrouted().forEach(entry.putArray("unrouted")::add);
            entry.set("executors", ExecutorsOutput.document(node.executors()));
            entry.put("current_connections", node.currentConnections())
                    .put("current_jobs", node.currentJobs())
                    .put("cpu_usage", node.cpuUsage())
                    .put("memory_usage", node.memoryUsage())
                    .put("started_at", Json.time(Optional.of(node.startedAt())))
                    .put("last_heartbeat", Json.time(Optional.of(node.lastHeartbeat())))
                    .put("heartbeat_age_ms", node.heartbeatAge().toMillis())
                    .put("heartbeat_interval_ms", node.heartbeatInterval().toMillis());
        }
        return list;
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
                    String.join(",", node.capabilities()),
                    labels(node),
                    ages.of(node.startedAt()),
                    Ages.brief(node.heartbeatAge()) + " ago, every " + Ages.brief(node.heartbeatInterval()));
        }
        return table.without("NAME", "VERSION", "EXECUTORS", "LABELS").toString();
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
