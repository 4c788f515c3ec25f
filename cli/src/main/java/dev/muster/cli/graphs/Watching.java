package dev.muster.cli.graphs;

import dev.muster.cli.console.Table;
import dev.muster.cli.console.Terminal;
import dev.muster.cli.database.Session;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.runtime.Durations;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a graph to end, and shows how it goes on standard error: on a terminal the tree, redrawn in place, and otherwise a line for each
 * task that has ended. A user who interrupts the wait is told that the graph stays.
 */
final class Watching {
    private static final Duration REFRESH = Duration.ofMillis(500);

    /** Of a larger graph only the counts are shown, because its tree does not fit on a screen. */
    private static final int MOST_LINES = 40;

    private final Session session;
    private final Graphs graphs;
    private final Terminal terminal;
    private final @Nullable Duration limit;
    private final long start = System.nanoTime();
    private final Map<String, TaskStatus> told = new HashMap<>();

    /** @param limit how long to wait in total; null for no limit */
    Watching(Session session, Terminal terminal, @Nullable Duration limit) {
        this.session = session;
        this.graphs = session.muster().graphs();
        this.terminal = terminal;
        this.limit = limit;
    }

    /** Returns the graph when it has ended or the limit is reached. */
    GraphTree untilEnded(GraphId id) {
        terminal.line("muster: waiting for graph " + id + " to end");
        Thread brokenOff = new Thread(() -> terminal.line("muster: no longer waiting; graph " + id
                + " stays and goes on without this command. muster graphs show " + id));
        Runtime.getRuntime().addShutdownHook(brokenOff);
        try {
            return waitFor(id);
        } finally {
            terminal.clear();
            withdraw(brokenOff);
        }
    }

    private static void withdraw(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending, so the shutdown hook prints the message.
        }
    }

    private GraphTree waitFor(GraphId id) {
        while (true) {
            Duration left = left();
            boolean ended =
                    graphs.await(id, Durations.shorter(left, REFRESH)).status().isTerminal();
            GraphTree tree = OneGraph.require(graphs, id);
            report(tree);
            if (ended || left.isZero()) {
                return tree;
            }
        }
    }

    private void report(GraphTree tree) {
        if (terminal.interactive()) {
            List<String> lines = TaskTree.lines(tree, WaitingReasons.of(session, tree));
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

    private Duration left() {
        if (limit == null) {
            return REFRESH;
        }
        Duration left = limit.minus(Duration.ofNanos(System.nanoTime() - start));
        return left.isNegative() ? Duration.ZERO : left;
    }
}
