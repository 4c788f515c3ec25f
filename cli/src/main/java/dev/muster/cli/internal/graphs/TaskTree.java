package dev.muster.cli.internal.graphs;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Table;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Draws the tasks of a graph as a tree. A task stands once, below the first of its parents; a task with several parents names the others.
 *
 * <pre>
 * ✓ extract  completed  1.2s  on node-1
 * ├─ ✗ load  failed  on node-2: IllegalStateException: disk full
 * │  └─ – report  skipped: parent load failed
 * └─ ● alarm  running  on node-1  (any_failed)
 * </pre>
 */
final class TaskTree {
    private static final int MOST_LINES = 500;
    private static final int DEEPEST = 20;
    private static final int TEXT_WIDTH = 120;

    private final Map<String, List<TaskInfo>> children = new LinkedHashMap<>();
    private final Map<String, String> reasons;

    private TaskTree(Map<String, String> reasons) {
        this.reasons = reasons;
    }

    /** A task with what stands before it in its line, and before the lines below it. */
    private record Branch(TaskInfo task, String before, String below, int depth) {}

    static List<String> lines(GraphTree tree, Map<String, String> reasons) {
        return new TaskTree(reasons).draw(tree);
    }

    private List<String> draw(GraphTree tree) {
        List<TaskInfo> roots = new ArrayList<>();
        for (TaskInfo task : tree.tasks()) {
            if (task.dependsOn().isEmpty()) {
                roots.add(task);
            } else {
                children.computeIfAbsent(task.dependsOn().get(0).id(), parent -> new ArrayList<>())
                        .add(task);
            }
        }
        // A stack of its own: a chain of ten thousand tasks would be too deep for recursion.
        Deque<Branch> open = new ArrayDeque<>();
        push(open, roots.stream().map(task -> new Branch(task, "", "", 0)).toList());
        List<String> lines = new ArrayList<>();
        while (!open.isEmpty() && lines.size() < MOST_LINES) {
            Branch branch = open.pop();
            lines.add(branch.before() + line(branch.task()));
            push(open, below(branch));
        }
        if (tree.tasks().size() > lines.size()) {
            lines.add("… and " + (tree.tasks().size() - lines.size()) + " more tasks; -o json has all of them");
        }
        return lines;
    }

    private static void push(Deque<Branch> open, List<Branch> branches) {
        for (int i = branches.size() - 1; i >= 0; i--) {
            open.push(branches.get(i));
        }
    }

    private List<Branch> below(Branch parent) {
        List<TaskInfo> tasks = children.getOrDefault(parent.task().id(), List.of());
        List<Branch> branches = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            boolean last = i == tasks.size() - 1;
            // Below a certain depth the lines stay where they are, or they would leave the screen.
            boolean indent = parent.depth() < DEEPEST;
            branches.add(new Branch(
                    tasks.get(i),
                    indent ? parent.below() + (last ? "└─ " : "├─ ") : parent.before(),
                    indent ? parent.below() + (last ? "   " : "│  ") : parent.below(),
                    parent.depth() + 1));
        }
        return branches;
    }

    private String line(TaskInfo task) {
        StringBuilder line = new StringBuilder(mark(task.status())).append(' ').append(Table.oneLine(task.id()));
        if (!task.name().equals(task.id())) {
            line.append(" [").append(task.name()).append(']');
        }
        line.append("  ").append(task.status().text());
        if (task.startedAt().isPresent() && task.finishedAt().isPresent()) {
            Duration took =
                    Duration.between(task.startedAt().get(), task.finishedAt().get());
            line.append("  ").append(took.isNegative() ? "0s" : brief(took));
        }
        task.node().ifPresent(node -> line.append("  on ").append(node));
        if (task.attempt() > 1) {
            line.append("  attempt ").append(task.attempt());
        }
        if (task.trigger() != Trigger.ALL_SUCCESS) {
            line.append("  (").append(task.trigger().text()).append(')');
        }
        if (task.dependsOn().size() > 1) {
            line.append("  after ").append(parents(task.dependsOn()));
        }
        return line + why(task);
    }

    private static String brief(Duration took) {
        return took.toSeconds() > 0 ? Ages.brief(took) : took.toMillis() + "ms";
    }

    private static String parents(List<Dependency> parents) {
        return parents.stream()
                        .limit(5)
                        .map(parent -> Table.oneLine(parent.id()) + (parent.required() ? "" : "?"))
                        .collect(Collectors.joining(", "))
                + (parents.size() > 5 ? " and " + (parents.size() - 5) + " more" : "");
    }

    private String why(TaskInfo task) {
        String why = reasons.getOrDefault(task.id(), task.reason().orElse(""));
        if (why.isEmpty() && task.status() != TaskStatus.COMPLETED) {
            why = task.error().flatMap(error -> error.lines().findFirst()).orElse("");
        }
        return why.isEmpty() ? "" : ": " + Table.cut(Table.oneLine(why), TEXT_WIDTH);
    }

    private static String mark(TaskStatus status) {
        return switch (status) {
            case WAITING -> "·";
            case PENDING -> "○";
            case RUNNING -> "●";
            case COMPLETED -> "✓";
            case FAILED -> "✗";
            case CANCELLED -> "⊘";
            case SKIPPED -> "–";
            case UNKNOWN -> "?";
        };
    }
}
