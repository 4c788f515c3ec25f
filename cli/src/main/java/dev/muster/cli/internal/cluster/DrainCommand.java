package dev.muster.cli.internal.cluster;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.document.internal.JsonObjectWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Drains a node. */
@Command(
        name = "drain",
        description = "Tell a node to claim no more jobs, finish the running ones and leave. Does not wait for that.")
final class DrainCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NODE", description = "The node's id.")
    private String node;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            session.audited("nodes.drain", node, () -> {
                if (!session.cluster().drainNode(node)) {
                    throw CommandFailed.failed("there is no live node '" + node + "'" + known(session));
                }
                return true;
            });
            output.print(
                    () -> new JsonObjectWriter()
                            .put("id", node)
                            .put("status", NodeStatus.DRAINING.text())
                            .done(),
                    () -> "told " + node + " to drain");
        }
        return ExitCode.DONE;
    }

    private static String known(Session session) {
        List<NodeInfo> live = session.cluster().nodes().stream()
                .filter(info -> info.status() != NodeStatus.DEAD)
                .toList();
        return live.isEmpty()
                ? "; there are none at all"
                : "; there are " + live.stream().map(NodeInfo::id).collect(Collectors.joining(", "));
    }
}
