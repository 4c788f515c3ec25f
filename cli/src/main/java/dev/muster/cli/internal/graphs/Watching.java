package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.console.CommandWait;
import dev.muster.cli.internal.console.Table;
import dev.muster.cli.internal.console.Terminal;
import dev.muster.cli.internal.database.Session;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.internal.graph.WaitingReasons;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Waits for a graph to end, and shows how it goes on standard error: on a terminal the tree, redrawn in place, and otherwise a line for each
 * task that has ended.
 */
final class Watching {
    private static final Duration REFRESH = Duration.ofMillis(500);

    /** Of a larger graph only the counts are shown, because its tree does not fit on a screen. */
    private static final int MOST_LINES = 40;

    private final Session session;
    private final Graphs graphs;
    private final CommandWait wait;
    private final Terminal terminal;
    private final Map<String, TaskStatus> told = new HashMap<>();

    Watching(Session session, CommandWait wait) {
        this.session = session;
        this.graphs = session.cluster().graphs();
        this.wait = wait;
        this.terminal = wait.terminal();
    }

    /** Returns the graph when it has ended or the limit is reached. */
    GraphTree untilEnded(GraphId id) {
        return wait.run(
                "graph " + id + " to end",
                "graph " + id + " stays and continues without this command. muster graphs show " + id,
                () -> waitFor(id));
    }

    private GraphTree waitFor(GraphId id) {
        while (true) {
            Duration next = wait.next(REFRESH);
            boolean ended = graphs.await(id, next).status().isTerminal();
            GraphTree tree = OneGraph.require(graphs, id);
            report(tree);
            if (ended || next.isZero()) {
                return tree;
            }
        }
    }

    private void report(GraphTree tree) {
        if (terminal.interactive()) {
            List<String> lines = TaskTree.lines(tree, WaitingReasons.of(session.jobs(), tree));
            terminal.redraw(lines.size() <= MOST_LINES ? lines : List.of(GraphText.progress(tree)));
            return;
        }
        for (TaskInfo task : tree.tasks()) {
            if (task.status().isTerminal() && told.put(task.id(), task.status()) != task.status()) {
                String why = task.reason().map(reason -> ": " + reason).orElse("");
                terminal.line("muster: "
                        + Table.oneLine(task.id() + " " + task.status().text() + why));
            }
        }
    }
}
