package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.ArgsText;
import dev.muster.cli.internal.jobs.TimeoutOption;
import dev.muster.document.internal.GraphDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.internal.graph.WaitingReasons;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Submits a graph. */
@Command(
        name = "submit",
        description = "Submit a graph of tasks from a JSON file and print it.",
        footer = {
            "",
            "FILE holds {\"name\": …, \"key\": …, \"tasks\": […]}, a list of tasks, or a JSON-RPC call",
            "of tasks.execute. A task is {\"id\": …, \"name\": …, \"inputs\": …, \"depends_on\": […]} and",
            "may have trigger, priority, queue, capability, placement, max_attempts and timeout.",
            "",
            "With --wait, the exit code is 0 if the graph completed, else 1; standard error tells how it goes.",
            "Ctrl-C ends the wait, not the graph."
        })
final class SubmitCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "The graph as JSON; - reads it from standard input.")
    private String file;

    @Option(
            names = "--key",
            paramLabel = "K",
            description =
                    "If a graph has this key already, no other is submitted; with other tasks that is an error. Wins"
                            + " over the key in the file.")
    private @Nullable String key;

    @Option(names = "--wait", description = "Wait until the graph has ended.")
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
        GraphRequest request = request();
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            Graphs graphs = session.cluster().graphs();
            GraphId id = graphs.submit(request);
            boolean created = id.equals(request.id());
            if (!created) {
                output.say("muster: already there: graph " + id + " has key '" + request.key()
                        + "'; nothing was submitted");
            }
            return wait ? waitFor(session, id, created) : report(session, id, created);
        }
    }

    private GraphRequest request() {
        String text = ArgsText.readFile("FILE", file).text();
        // With an id of its own, the command can tell a new graph from one that already had the key.
        GraphRequest read = GraphRequest.fromJson(text);
        GraphRequest request = read.id() == null ? read.id(GraphId.next()) : read;
        return key == null ? request : request.key(key);
    }

    private int report(Session session, GraphId id, boolean created) {
        print(session, OneGraph.require(session.cluster().graphs(), id), created);
        return ExitCode.DONE;
    }

    private int waitFor(Session session, GraphId id, boolean created) {
        GraphTree tree = new Watching(session, timeout.startWait()).untilEnded(id);
        print(session, tree, created);
        if (!tree.graph().status().isTerminal()) {
            output.say("muster: gave up waiting; the graph is "
                    + tree.graph().status().text());
        }
        return tree.graph().status() == GraphStatus.COMPLETED ? ExitCode.DONE : ExitCode.FAILED;
    }

    private void print(Session session, GraphTree tree, boolean created) {
        Map<String, String> reasons = WaitingReasons.of(session.jobs(), tree);
        output.print(
                () -> JsonObjectWriter.of(GraphDocument.write(tree, reasons))
                        .put("created", created)
                        .done(),
                () -> GraphText.details(tree, reasons));
    }
}
