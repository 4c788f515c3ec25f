package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.GraphDocument;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.graph.TaskInfo;
import dev.muster.internal.config.Nearest;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The graph, or the task of it, that a command changes. */
final class OneGraph {
    @Parameters(index = "0", paramLabel = "ID", converter = GraphIdParameter.class, description = "The graph's id.")
    private GraphId id;

    @Parameters(index = "1", arity = "0..1", paramLabel = "TASK", description = "The id of a task of the graph.")
    private @Nullable String task;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    GraphId id() {
        return id;
    }

    Optional<String> task() {
        return Optional.ofNullable(task);
    }

    static GraphTree require(Graphs graphs, GraphId id) {
        return graphs.tree(id).orElseThrow(() -> CommandFailed.failed("there is no graph " + id));
    }

    /**
     * Changes the graph and prints it.
     *
     * @param action as the audit calls it
     * @param change returns what to say; the tree is the one before the change
     */
    void change(String action, BiFunction<Graphs, GraphTree, String> change) {
        try (Session session = Session.open(settings)) {
            Graphs graphs = session.cluster().graphs();
            GraphTree before = require(graphs, id);
            if (task != null && before.task(task).isEmpty()) {
                throw CommandFailed.failed("graph " + id + " has no task '" + task + "'"
                        + Nearest.suggestion(
                                task, before.tasks().stream().map(TaskInfo::id).toList()));
            }
            String done =
                    session.audited(action, id + (task == null ? "" : "/" + task), () -> change.apply(graphs, before));
            output.print(() -> GraphDocument.write(require(graphs, id), Map.of()), () -> done);
        }
    }
}
