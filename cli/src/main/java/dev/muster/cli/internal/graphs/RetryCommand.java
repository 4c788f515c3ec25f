package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.graph.TaskStatus;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Retries the failed tasks of a graph. */
@Command(
        name = "retry",
        description = "Run the failed and cancelled tasks of a graph again, or one of them.",
        footer = {
            "",
            "Tasks that were skipped because of them are decided about once more. Completed tasks stay completed."
        })
final class RetryCommand implements Callable<Integer> {
    @Mixin
    private OneGraph graph;

    @Override
    public Integer call() {
        graph.change("graphs.retry", this::retry);
        return ExitCode.DONE;
    }

    private String retry(Graphs graphs, GraphTree before) {
        int tasks = graph.task().map(task -> graphs.retry(graph.id(), task)).orElseGet(() -> graphs.retry(graph.id()));
        if (tasks == 0) {
            throw CommandFailed.failed(graph.task()
                    .map(task -> "task " + task + " of graph " + graph.id() + " is "
                            + before.task(task).orElseThrow().status().text()
                            + "; only a failed or cancelled one can be retried")
                    .orElse("no task of graph " + graph.id() + " has failed or was cancelled"));
        }
        graph.task()
                .flatMap(task -> OneGraph.require(graphs, graph.id()).task(task))
                .filter(task -> task.status() == TaskStatus.SKIPPED)
                .ifPresent(task -> {
                    throw CommandFailed.failed("task " + task.id() + " was skipped again: "
                            + task.reason().orElse("its trigger cannot fire")
                            + "; retry that one, or the whole graph");
                });
        return "continues: graph " + graph.id() + ", tasks that wait or run again: " + tasks;
    }
}
