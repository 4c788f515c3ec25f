package dev.muster.internal.graph;

import dev.muster.graph.GraphRequest;
import dev.muster.graph.InvalidGraph;
import dev.muster.graph.TaskRequest;
import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.graph.Trigger;
import dev.muster.internal.config.Nearest;
import dev.muster.internal.graph.InputMapping.Reference;
import dev.muster.internal.runtime.Shown;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.internal.runtime.StorableText;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Checks a graph as a whole: its ids, dependencies, inputs and limits. Every refusal begins with where it is. */
public final class GraphChecker {
    static final int MAX_TASKS = 10_000;
    static final int MAX_EDGES = 50_000;

    /** How many bytes of JSON all inputs together may have. */
    static final int MAX_INPUTS = StorableJson.MAX_BYTES;

    private static final int MAX_ID = 200;
    private static final int MAX_NAME = 200;
    private static final int MAX_KEY = 255;

    /** How many tasks at the beginning of a cycle a message names. */
    private static final int MAX_SHOWN = 10;

    private final JsonCodec json;
    private final GraphRequest request;
    private final Map<String, Integer> numbers = new LinkedHashMap<>();

    private GraphChecker(JsonCodec json, GraphRequest request) {
        this.json = json;
        this.request = request;
    }

    /**
     * A task whose position in the graph is known.
     *
     * @param parents the numbers of its parents, and whether they are required
     * @param takesFrom the numbers of the parents whose results its inputs name
     */
    record CheckedTask(
            int number,
            TaskRequest request,
            StorableJson inputs,
            Map<Integer, Boolean> parents,
            Set<Integer> takesFrom) {}

    /**
     * The tasks of a graph, in the order of the request.
     *
     * @throws InvalidGraph if it cannot be submitted
     */
    static List<CheckedTask> check(JsonCodec json, GraphRequest request) {
        return new GraphChecker(json, request).check();
    }

    private List<CheckedTask> check() {
        checkTexts();
        List<TaskRequest> tasks = request.tasks();
        if (tasks.isEmpty()) {
            throw new InvalidGraph("tasks: a graph needs at least one task");
        }
        checkTasks(tasks.size());
        checkEdges(tasks.stream().mapToInt(task -> task.dependsOn().size()).sum());
        for (int i = 0; i < tasks.size(); i++) {
            enter(i, tasks.get(i));
        }
        List<CheckedTask> checked = new ArrayList<>(tasks.size());
        long bytes = 0;
        for (int i = 0; i < tasks.size(); i++) {
            CheckedTask task = task(i, tasks.get(i));
            bytes += task.inputs().bytes();
            checked.add(task);
        }
        if (bytes > MAX_INPUTS) {
            throw new InvalidGraph("tasks: all inputs together have " + bytes + " bytes of JSON; at most " + MAX_INPUTS
                    + " are allowed. Store large data elsewhere and pass a reference");
        }
        refuseCycles(checked);
        return checked;
    }

    public static void checkTasks(int tasks) {
        if (tasks > MAX_TASKS) {
            throw new InvalidGraph("tasks: the graph has " + tasks + " tasks; at most " + MAX_TASKS + " are allowed");
        }
    }

    public static void checkEdges(int edges) {
        if (edges > MAX_EDGES) {
            throw new InvalidGraph(
                    "tasks: the graph has " + edges + " dependencies; at most " + MAX_EDGES + " are allowed");
        }
    }

    private void checkTexts() {
        String name = request.name();
        if (name != null && (name.isBlank() || name.length() > MAX_NAME || hasControl(name))) {
            throw new InvalidGraph("name: must be one line of 1 to " + MAX_NAME + " characters");
        }
        String key = request.key();
        if (key != null && (key.isBlank() || key.length() > MAX_KEY || !StorableText.isStorable(key))) {
            throw new InvalidGraph("key: must have 1 to " + MAX_KEY
                    + " characters, not all blank, none of them NUL or half a surrogate pair");
        }
    }

    private static boolean hasControl(String text) {
        return text.chars().anyMatch(Character::isISOControl)
                || !StorableText.of(text).equals(text);
    }

    private static String path(int number) {
        return "tasks[" + number + "]";
    }

    /** The lengths of all texts are checked before one of them is looked up, compared or shown. */
    private void enter(int number, TaskRequest task) {
        String id = task.id();
        if (id.isBlank() || id.length() > MAX_ID || hasControl(id)) {
            throw new InvalidGraph(path(number) + ".id: must be one line of 1 to " + MAX_ID + " characters");
        }
        for (int i = 0; i < task.dependsOn().size(); i++) {
            if (task.dependsOn().get(i).id().length() > MAX_ID) {
                throw new InvalidGraph(path(number) + ".depends_on[" + i
                        + "]: must be the id of a task, which has at most " + MAX_ID + " characters");
            }
        }
        Integer first = numbers.putIfAbsent(id, number);
        if (first != null) {
            throw new InvalidGraph(path(number) + ".id: '" + id + "' is the id of " + path(first)
                    + " already; ids are unique in a graph");
        }
    }

    private CheckedTask task(int number, TaskRequest task) {
        String path = path(number);
        Map<Integer, Boolean> parents = parents(path, task);
        if (task.trigger() == Trigger.UNKNOWN) {
            throw new InvalidGraph(path + ".trigger: UNKNOWN is no trigger to choose");
        }
        if (task.trigger().needsRequiredParent() && !parents.containsValue(true)) {
            throw new InvalidGraph(
                    path + ".trigger: " + task.trigger().text() + " needs a required parent in depends_on");
        }
        StorableJson inputs = inputs(path, task.inputs());
        return new CheckedTask(number, task, inputs, parents, takesFrom(path, parents, inputs.text()));
    }

    private Map<Integer, Boolean> parents(String path, TaskRequest task) {
        Map<Integer, Boolean> parents = new LinkedHashMap<>();
        for (int i = 0; i < task.dependsOn().size(); i++) {
            Dependency dependency = task.dependsOn().get(i);
            String where = path + ".depends_on[" + i + "]";
            Integer parent = numbers.get(dependency.id());
            if (parent == null) {
                throw new InvalidGraph(where + ": '" + dependency.id() + "' is no task"
                        + Nearest.suggestion(dependency.id(), numbers.keySet()));
            }
            if (dependency.id().equals(task.id())) {
                throw new InvalidGraph(where + ": '" + task.id() + "' depends on itself");
            }
            if (parents.putIfAbsent(parent, dependency.required()) != null) {
                throw new InvalidGraph(where + ": '" + dependency.id() + "' is named twice");
            }
        }
        return parents;
    }

    private StorableJson inputs(String path, @Nullable Object inputs) {
        String text;
        try {
            text = inputs == null ? "null" : inputs instanceof RawJson raw ? raw.text() : json.write(inputs);
            if (inputs instanceof RawJson) {
                json.check(text, Object.class);
            }
        } catch (JsonException e) {
            throw new InvalidGraph(path + ".inputs: are not valid JSON: " + e.getMessage(), e);
        }
        try {
            return StorableJson.of(text);
        } catch (JsonException e) {
            throw new InvalidGraph(path + ".inputs: " + e.getMessage(), e);
        }
    }

    private Set<Integer> takesFrom(String path, Map<Integer, Boolean> parents, String inputs) {
        Set<Integer> taken = new TreeSet<>();
        for (Reference reference : InputMapping.references(inputs)) {
            Supplier<String> where = () -> path + ".inputs" + reference.where();
            Integer parent = numbers.get(reference.parent());
            if (parent == null || !parents.containsKey(parent)) {
                throw new InvalidGraph(
                        where.get() + ".from: " + notAParent(reference.parent(), parent != null, parents));
            }
            if (!reference.path().isEmpty() && !reference.path().startsWith("/")) {
                throw new InvalidGraph(where.get() + ".path: '" + Shown.of(reference.path())
                        + "' is no JSON pointer; one looks like /rows/0/name");
            }
            taken.add(parent);
        }
        return taken;
    }

    private String notAParent(String id, boolean task, Map<Integer, Boolean> parents) {
        if (task) {
            return "'" + id + "' is not in depends_on of this task";
        }
        List<String> ids = parents.keySet().stream()
                .map(number -> request.tasks().get(number).id())
                .toList();
        return "'" + Shown.of(id, MAX_ID) + "' is no task" + Nearest.suggestion(id, ids)
                + " An object with only 'from' and 'path' takes a parent's result; to pass one as it is, write {\"$literal\": …}";
    }

    /** Takes away tasks whose parents are all taken away; what is left contains a cycle. */
    private static void refuseCycles(List<CheckedTask> tasks) {
        Map<Integer, List<Integer>> children = new HashMap<>();
        int[] open = new int[tasks.size()];
        Deque<Integer> free = new ArrayDeque<>();
        for (CheckedTask task : tasks) {
            open[task.number()] = task.parents().size();
            task.parents()
                    .keySet()
                    .forEach(parent -> children.computeIfAbsent(parent, key -> new ArrayList<>())
                            .add(task.number()));
            if (task.parents().isEmpty()) {
                free.add(task.number());
            }
        }
        int left = tasks.size();
        while (!free.isEmpty()) {
            left--;
            for (int child : children.getOrDefault(free.remove(), List.of())) {
                if (--open[child] == 0) {
                    free.add(child);
                }
            }
        }
        if (left > 0) {
            throw cycle(tasks, open);
        }
    }

    /** Every task that is left has a parent that is left: so following those leads into a cycle. */
    private static InvalidGraph cycle(List<CheckedTask> tasks, int[] open) {
        int at = 0;
        while (open[at] == 0) {
            at++;
        }
        List<Integer> way = new ArrayList<>();
        Set<Integer> seen = new HashSet<>();
        while (seen.add(at)) {
            way.add(at);
            at = tasks.get(at).parents().keySet().stream()
                    .filter(parent -> open[parent] > 0)
                    .findFirst()
                    .orElseThrow();
        }
        List<Integer> cycle = way.subList(way.indexOf(at), way.size());
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < cycle.size(); i++) {
            if (i < MAX_SHOWN || i == cycle.size() - 1) {
                text.append(tasks.get(cycle.get(i)).request().id()).append(" -> ");
            } else if (i == MAX_SHOWN) {
                text.append("… -> ");
            }
        }
        String first = tasks.get(at).request().id();
        return new InvalidGraph(path(at) + ".depends_on: these tasks wait for each other: " + text + first);
    }
}
