package dev.muster.graph;

import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.Nearest;
import dev.muster.internal.graph.GraphChecker;
import dev.muster.internal.runtime.Jsonb;
import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.internal.runtime.Shown;
import dev.muster.job.JobOptions;
import dev.muster.job.Placement;
import dev.muster.job.Priority;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads graphs from JSON. Every refusal begins with where it is, such as {@code tasks[3].trigger}. */
final class GraphJson {
    static final int MAX_BYTES = 1 << 20;

    private static final List<String> GRAPH_FIELDS = List.of("name", "key", "id", "tasks");
    private static final String CALL = "tasks.execute";
    private static final List<String> CALL_FIELDS = List.of("jsonrpc", "method", "params", "id");
    private static final List<String> TASK_FIELDS = List.of(
            "id",
            "name",
            "inputs",
            "depends_on",
            "trigger",
            "priority",
            "queue",
            "capability",
            "placement",
            "max_attempts",
            "timeout");
    private static final List<String> PLACEMENT_FIELDS = List.of("require", "forbid", "nodes", "not_nodes");

    private GraphJson() {}

    static GraphRequest read(String json) {
        if (json.length() > MAX_BYTES / 4) {
            int bytes = json.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MAX_BYTES) {
                throw new InvalidGraph("the graph has " + bytes + " bytes; at most " + MAX_BYTES + " are allowed");
            }
        }
        Object value;
        try {
            value = Jsonb.readDocument(json);
        } catch (JsonException e) {
            throw new InvalidGraph("the graph is not JSON: " + e.getMessage(), e);
        }
        return graph(value);
    }

    private static GraphRequest graph(@Nullable Object value) {
        if (value instanceof List<?> tasks) {
            return GraphRequest.of(tasks(tasks));
        }
        if (!(value instanceof Map<?, ?> object)) {
            throw new InvalidGraph("a graph is an object with 'tasks', or a list of tasks, not " + kind(value));
        }
        if (object.containsKey("jsonrpc")) {
            refuseOthers("", object, CALL_FIELDS);
            if (!CALL.equals(object.get("method"))) {
                throw new InvalidGraph("method: must be \"" + CALL + "\", which submits a graph, not "
                        + Shown.of(Jsonb.write(object.get("method"))));
            }
            return graph(object.get("params"));
        }
        refuseOthers("", object, GRAPH_FIELDS);
        if (!(object.get("tasks") instanceof List<?> tasks)) {
            throw new InvalidGraph("tasks: must be a list of tasks, not " + kind(object.get("tasks")));
        }
        return new GraphRequest(
                optionalText("", object, "name"),
                optionalText("", object, "key"),
                parsed("id", optionalText("", object, "id"), GraphId::of),
                tasks(tasks));
    }

    private static List<TaskRequest> tasks(List<?> tasks) {
        GraphChecker.checkTasks(tasks.size());
        List<TaskRequest> read = new ArrayList<>(tasks.size());
        for (int i = 0; i < tasks.size(); i++) {
            read.add(task("tasks[" + i + "]", tasks.get(i)));
        }
        return read;
    }

    private static TaskRequest task(String path, @Nullable Object value) {
        if (!(value instanceof Map<?, ?> task)) {
            throw new InvalidGraph(path + ": must be an object, not " + kind(value));
        }
        String where = path + ".";
        refuseOthers(where, task, TASK_FIELDS);
        // In the order in which people write them: the first that is wrong is reported.
        String id = text(where, task, "id");
        String name = text(where, task, "name");
        Object inputs = task.containsKey("inputs") ? new RawJson(Jsonb.write(task.get("inputs"))) : null;
        List<Dependency> dependsOn = dependencies(where, task.get("depends_on"));
        Trigger trigger = trigger(where, task);
        Priority priority = priority(where, task.get("priority"));
        String queue = optionalText(where, task, "queue");
        String capability = optionalText(where, task, "capability");
        Placement placement = placement(where, task.get("placement"));
        Integer maxAttempts = number(where, task.get("max_attempts"));
        Duration timeout = parsed(where + "timeout", optionalText(where, task, "timeout"), DurationText::parse);
        JobOptions options = new JobOptions(queue, capability, priority, maxAttempts, null, timeout);
        return new TaskRequest(id, name, inputs, dependsOn, trigger, options, placement);
    }

    private static List<Dependency> dependencies(String where, @Nullable Object value) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> parents)) {
            throw new InvalidGraph(where + "depends_on: must be a list of ids, not " + kind(value));
        }
        GraphChecker.checkEdges(parents.size());
        List<Dependency> read = new ArrayList<>(parents.size());
        for (int i = 0; i < parents.size(); i++) {
            read.add(dependency(where + "depends_on[" + i + "]", parents.get(i)));
        }
        return read;
    }

    private static Dependency dependency(String path, @Nullable Object value) {
        if (value instanceof String id) {
            return new Dependency(id, true);
        }
        if (!(value instanceof Map<?, ?> parent)) {
            throw new InvalidGraph(
                    path + ": must be the id of a task, or an object with 'id' and 'required', not " + kind(value));
        }
        refuseOthers(path + ".", parent, List.of("id", "required"));
        Object required = parent.get("required");
        if (required != null && !(required instanceof Boolean)) {
            throw new InvalidGraph(path + ".required: must be true or false, not " + kind(required));
        }
        return new Dependency(text(path + ".", parent, "id"), !Boolean.FALSE.equals(required));
    }

    private static Trigger trigger(String where, Map<?, ?> task) {
        String text = optionalText(where, task, "trigger");
        if (text == null) {
            return Trigger.ALL_SUCCESS;
        }
        List<String> allowed = Trigger.known().stream().map(Trigger::text).toList();
        return Trigger.find(text)
                .orElseThrow(() -> new InvalidGraph(where + "trigger: '" + Shown.of(text) + "' is no trigger"
                        + hint(text, allowed) + " Allowed are " + String.join(", ", allowed)));
    }

    private static @Nullable Priority priority(String where, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof Digits || value instanceof String) {
            String text = value instanceof Digits digits ? digits.text() : String.valueOf(value);
            return parsed(where + "priority", text, Priority::parse);
        }
        throw new InvalidGraph(where + "priority: must be a name or a number, not " + kind(value));
    }

    private static @Nullable Integer number(String where, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        try {
            if (value instanceof Digits digits) {
                return Integer.valueOf(digits.text());
            }
        } catch (NumberFormatException e) {
            throw new InvalidGraph(
                    where + "max_attempts: must be a whole number, not " + Shown.of(Jsonb.write(value)), e);
        }
        throw new InvalidGraph(where + "max_attempts: must be a whole number, not " + kind(value));
    }

    private static Placement placement(String where, @Nullable Object value) {
        if (value == null) {
            return Placement.ANYWHERE;
        }
        if (!(value instanceof Map<?, ?> placement)) {
            throw new InvalidGraph(where + "placement: must be an object, not " + kind(value));
        }
        String inside = where + "placement.";
        refuseOthers(inside, placement, PLACEMENT_FIELDS);
        Placement read = Placement.ANYWHERE;
        read = with(read::require, inside, placement, "require");
        read = with(read::forbid, inside, placement, "forbid");
        read = with(read::onNodes, inside, placement, "nodes");
        return with(read::notOnNodes, inside, placement, "not_nodes");
    }

    private static Placement with(Function<String[], Placement> add, String where, Map<?, ?> object, String field) {
        List<String> texts = texts(where, object, field);
        try {
            return add.apply(texts.toArray(String[]::new));
        } catch (MusterException e) {
            throw new InvalidGraph(where + field + ": " + e.getMessage(), e);
        }
    }

    private static List<String> texts(String where, Map<?, ?> object, String field) {
        Object value = object.get(field);
        if (value == null) {
            return List.of();
        }
        if (value instanceof String one) {
            return List.of(one);
        }
        if (!(value instanceof List<?> items)) {
            throw new InvalidGraph(where + field + ": must be a list of texts, not " + kind(value));
        }
        List<String> read = new ArrayList<>(items.size());
        for (int i = 0; i < items.size(); i++) {
            if (!(items.get(i) instanceof String text)) {
                throw new InvalidGraph(where + field + "[" + i + "]: must be a text, not " + kind(items.get(i)));
            }
            read.add(text);
        }
        return read;
    }

    private static String text(String where, Map<?, ?> object, String field) {
        String text = optionalText(where, object, field);
        if (text == null) {
            throw new InvalidGraph(where + field + ": is missing");
        }
        return text;
    }

    private static @Nullable String optionalText(String where, Map<?, ?> object, String field) {
        Object value = object.get(field);
        if (value != null && !(value instanceof String)) {
            throw new InvalidGraph(where + field + ": must be a text, not " + kind(value));
        }
        return (String) value;
    }

    private static <T> @Nullable T parsed(String path, @Nullable String text, Function<String, T> parser) {
        try {
            return text == null ? null : parser.apply(text);
        } catch (MusterException e) {
            throw new InvalidGraph(path + ": " + e.getMessage(), e);
        }
    }

    private static void refuseOthers(String where, Map<?, ?> object, List<String> known) {
        for (Object field : object.keySet()) {
            String name = String.valueOf(field);
            if (!known.contains(name)) {
                throw new InvalidGraph(where + Shown.of(name) + ": is no field here" + hint(name, known) + " There are "
                        + known.stream().collect(Collectors.joining(", ")));
            }
        }
    }

    /** The end of a sentence about an unknown name. */
    private static String hint(String unknown, List<String> known) {
        String suggestion = Nearest.suggestion(unknown, known);
        return suggestion.isEmpty() ? "." : suggestion;
    }

    private static String kind(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        if (value instanceof Digits) {
            return "a number";
        }
        return value instanceof Map
                ? "an object"
                : value instanceof List ? "a list" : value instanceof String ? "a text" : String.valueOf(value);
    }
}
