package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.TimeoutOption;
import dev.muster.document.internal.GraphDocument;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.internal.graph.WaitingReasons;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows one graph. */
@Command(
        name = "show",
        description = "Show a graph as a tree: the state of each task, and why it waits or was skipped.",
        footer = {"", "With --wait, the exit code is 0 if the graph completed, else 1."})
final class ShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = GraphIdParameter.class, description = "The graph's id.")
    private GraphId id;

    @Option(
            names = {"--wait", "--watch"},
            description = "Show the tree live until the graph has ended.")
    private boolean wait;

    @Mixin
    private TimeoutOption timeout;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        timeout.check(wait);
        try (Session session = Session.toRead(settings)) {
            GraphTree now = OneGraph.require(session.cluster().graphs(), id);
            GraphTree tree = wait ? new Watching(session, timeout.startWait()).untilEnded(id) : now;
            Map<String, String> reasons = WaitingReasons.of(session.jobs(), tree);
            output.print(() -> GraphDocument.write(tree, reasons), () -> GraphText.details(tree, reasons));
            if (wait && !tree.graph().status().isTerminal()) {
                output.say("muster: gave up waiting; the graph is "
                        + tree.graph().status().text());
            }
            return !wait || tree.graph().status() == GraphStatus.COMPLETED ? ExitCode.DONE : ExitCode.FAILED;
        }
    }
}
