package dev.muster.graph;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A graph with all its tasks, in the order in which they were submitted.
 *
 * @param graph the graph
 * @param tasks its tasks
 */
public record GraphTree(GraphInfo graph, List<TaskInfo> tasks) {

    public GraphTree {
        tasks = List.copyOf(tasks);
    }

    public Optional<TaskInfo> task(String id) {
        return tasks.stream().filter(task -> task.id().equals(id)).findFirst();
    }

    /** How many tasks there are in each status that occurs. */
    public Map<TaskStatus, Long> counts() {
        Map<TaskStatus, Long> counts = new LinkedHashMap<>();
        for (TaskStatus status : TaskStatus.values()) {
            long count = tasks.stream().filter(task -> task.status() == status).count();
            if (count > 0) {
                counts.put(status, count);
            }
        }
        return counts;
    }

    /** Why a task does not run: what it waits for, or why it was skipped or cancelled. Empty if nothing in the graph holds it up. */
    public Optional<String> why(TaskInfo task) {
        return task.status() == TaskStatus.WAITING ? Optional.of(waitsFor(task)) : task.reason();
    }

    private String waitsFor(TaskInfo task) {
        return waitsFor(task, statuses());
    }

    /** The statuses of all tasks, by their ids. */
    public Map<String, TaskStatus> statuses() {
        return tasks.stream().collect(Collectors.toMap(TaskInfo::id, TaskInfo::status));
    }

    /** @param statuses those of all tasks, which whoever asks for many tasks looks up once */
    public static String waitsFor(TaskInfo task, Map<String, TaskStatus> statuses) {
        List<String> open = task.dependsOn().stream()
                .filter(parent -> !statuses.get(parent.id()).isTerminal())
                .map(parent -> parent.id() + " (" + statuses.get(parent.id()).text() + ")")
                .toList();
        String some = open.stream().limit(5).collect(Collectors.joining(", "));
        return "waits for " + some + (open.size() > 5 ? " and " + (open.size() - 5) + " more" : "");
    }
}
