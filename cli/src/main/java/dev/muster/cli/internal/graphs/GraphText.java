package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Table;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Graphs as text. */
final class GraphText {
    private static final int NAME_WIDTH = 32;
    private static final int VALUE_WIDTH = 1_000;

    private GraphText() {}

    static String table(List<GraphInfo> graphs) {
        if (graphs.isEmpty()) {
            return "no graphs";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("ID", "NAME", "STATUS", "ENDED", "TASKS", "CREATED", "FINISHED");
        for (GraphInfo graph : graphs) {
            table.row(
                    graph.id(),
                    graph.name().map(name -> Table.cut(name, NAME_WIDTH)).orElse("-"),
                    graph.status().text(),
                    graph.ended(),
                    graph.tasks(),
                    ages.of(graph.createdAt()),
                    ages.of(graph.finishedAt()));
        }
        return table.without("NAME", "FINISHED").toString();
    }

    /** @param reasons why tasks are waiting, by their ids */
    static String details(GraphTree tree, Map<String, String> reasons) {
        Ages ages = new Ages(Instant.now());
        GraphInfo graph = tree.graph();
        StringBuilder text = new StringBuilder();
        line(text, "id", graph.id().toString());
        graph.name().ifPresent(name -> line(text, "name", name));
        graph.key().ifPresent(key -> line(text, "key", key));
        line(text, "status", graph.status().text());
        graph.reason().ifPresent(reason -> line(text, "reason", reason));
        line(text, "progress", progress(tree));
        line(text, "created", graph.createdAt() + "  " + ages.of(graph.createdAt()));
        graph.finishedAt().ifPresent(time -> line(text, "finished", time + "  " + ages.of(time)));
        return text.append('\n')
                .append(String.join("\n", TaskTree.lines(tree, reasons)))
                .toString();
    }

    /** How many tasks have ended, and how many are in each state. */
    static String progress(GraphTree tree) {
        Map<TaskStatus, Long> counts = tree.counts();
        return tree.graph().ended() + " of " + tree.graph().tasks() + " tasks ended: "
                + counts.entrySet().stream()
                        .map(count -> count.getValue() + " " + count.getKey().text())
                        .collect(Collectors.joining(", "));
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append("%-12s".formatted(name))
                .append(Table.cut(Table.oneLine(value), VALUE_WIDTH))
                .append('\n');
    }
}
