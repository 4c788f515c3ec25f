package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cancels a graph or a part of it. */
@Command(
        name = "cancel",
        description = "Cancel a graph, or a task of it with all tasks below.",
        footer = {"", "Tasks that wait end at once; those that run are asked to stop."})
final class CancelCommand implements Callable<Integer> {
    @Mixin
    private OneGraph graph;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            defaultValue = "cancelled on the command line",
            description = "Why, for those who look at the graph later.")
    private String reason;

    @Override
    public Integer call() {
        graph.change("graphs.cancel", this::cancel);
        return ExitCode.DONE;
    }

    private String cancel(Graphs graphs, GraphTree before) {
        boolean cancelled = graph.task()
                .map(task -> graphs.cancel(graph.id(), task, reason))
                .orElseGet(() -> graphs.cancel(graph.id(), reason));
        String what = graph.task()
                .map(task -> "task " + task + " of graph " + graph.id())
                .orElse("graph " + graph.id());
        if (!cancelled) {
            throw CommandFailed.failed(
                    what + " has ended" + (graph.task().isPresent() ? ", and all tasks below it" : ""));
        }
        return "cancelled: " + what;
    }
}
