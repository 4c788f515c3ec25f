package dev.muster.gateway.internal.rpc;

import dev.muster.access.Scope;
import dev.muster.document.internal.GraphDocument;
import dev.muster.document.internal.JobDocument;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.TaskDocument;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.rpc.JsonRpc.Method;
import dev.muster.gateway.internal.rpc.JsonRpcRoutes.Audited;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskInfo;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.graph.WaitingReasons;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.JobId;
import dev.muster.runtime.ObserverRefusal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The methods {@code tasks.…} of JSON-RPC, over graphs of tasks. The id of a graph is the id of its root task. */
final class TaskMethods {
    /** Tasks further below are in the flat list alone: nobody reads a tree of ten thousand levels. */
    private static final int MAX_LEVELS = 50;

    private TaskMethods() {}

    static Map<String, Method> all(Audited audited) {
        Map<String, Method> methods = new TreeMap<>();
        methods.put("tasks.execute", writing(TaskMethods::execute));
        methods.put("tasks.cancel", writing((call, params) -> cancel(call, params, audited)));
        methods.put("tasks.get", TaskMethods::get);
        methods.put("tasks.tree", TaskMethods::tree);
        methods.put("tasks.list", TaskMethods::list);
        methods.put("tasks.methods", (call, params) -> Map.of("methods", List.copyOf(methods.keySet())));
        return methods;
    }

    /** Authorises a call by itself, whatever it came with. */
    private static Method writing(Method method) {
        return (call, params) -> {
            if (!call.caller().may(Scope.WRITE)) {
                throw Refusal.forbidden("this needs the scope write; you have "
                        + call.caller().scope().text());
            }
            if (call.muster().api(NodeContext.class).observes()) {
                throw new ObserverRefusal("submit or cancel tasks");
            }
            return method.call(call, params);
        };
    }

    private static JsonObjectReader fields(@Nullable Object params, String... known) {
        if (params instanceof List) {
            throw Refusal.badRequest("params: must be an object with " + String.join(", ", known));
        }
        JsonObjectReader fields = JsonObjectReader.of(params == null ? Map.of() : params);
        fields.refuseOthers(known);
        return fields;
    }

    private static Object execute(Call call, @Nullable Object params) {
        fields(params, "tasks", "name", "key");
        GraphRequest request = GraphRequest.fromJson(Json.write(params));
        request.tasks().forEach(task -> call.requireStart(task.name()));
        // With an id of its own, a graph that has the key already can be told from a new one.
        GraphRequest sent = request.key() == null || request.id() != null ? request : request.id(GraphId.next());
        GraphId id = call.muster().graphs().submit(sent);
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("success", true);
        result.put("protocol", "jsonrpc");
        result.put("created", sent.key() == null || id.equals(sent.id()));
        result.put("root_task_id", id.toString());
        result.put("task_count", request.tasks().size());
        result.put("status", "started");
        result.put("message", "the tasks were submitted; tasks.get and tasks.tree show how they get on");
        return result;
    }

    private static <T> T graph(JsonObjectReader fields, Function<GraphId, Optional<T>> read) {
        GraphId id = fields.parsed("task_id", GraphId::of);
        return read.apply(id).orElseThrow(() -> Refusal.notFound("there is no graph of tasks " + id));
    }

    /** The graph with its counts, or the job of one task. The tasks of the graph are counted, and not read: there may be ten thousand. */
    private static Object get(Call call, @Nullable Object params) {
        JobId id = fields(params, "task_id").parsed("task_id", JobId::of);
        Optional<GraphInfo> graph = call.muster().graphs().find(new GraphId(id.value()));
        if (graph.isPresent()) {
            GraphStore store = call.muster().api(NodeContext.class).port(GraphStore.class);
            return GraphDocument.writeCounted(
                    graph.get(), store.counts(graph.get().id()));
        }
        return call.muster()
                .jobs()
                .find(id)
                .map(JobDocument::write)
                .orElseThrow(() -> Refusal.notFound("there is no task " + id));
    }

    private static Object tree(Call call, @Nullable Object params) {
        GraphTree graph = graph(fields(params, "task_id"), call.muster().graphs()::tree);
        Map<String, List<TaskInfo>> children = new LinkedHashMap<>();
        List<TaskInfo> roots = new ArrayList<>();
        for (TaskInfo task : graph.tasks()) {
            if (task.dependsOn().isEmpty()) {
                roots.add(task);
            } else {
                // A task with several parents is shown below the first one.
                children.computeIfAbsent(task.dependsOn().get(0).id(), parent -> new ArrayList<>())
                        .add(task);
            }
        }
        Map<String, String> reasons = WaitingReasons.of(call.muster().jobs(), graph);
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("task", GraphDocument.write(graph.graph()));
        result.put("children", nested(roots, children, reasons, 1));
        result.put("tasks", GraphDocument.write(graph, reasons).get("tasks"));
        return result;
    }

    private static List<Map<String, @Nullable Object>> nested(
            List<TaskInfo> tasks, Map<String, List<TaskInfo>> children, Map<String, String> reasons, int level) {
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        for (TaskInfo task : tasks) {
            Map<String, @Nullable Object> node = new LinkedHashMap<>();
            node.put("task", TaskDocument.write(task, reasons.get(task.id())));
            node.put(
                    "children",
                    level == MAX_LEVELS
                            ? List.of()
                            : nested(children.getOrDefault(task.id(), List.of()), children, reasons, level + 1));
            all.add(node);
        }
        return all;
    }

    private static Object list(Call call, @Nullable Object params) {
        JsonObjectReader fields = fields(params, "name", "status", "limit", "before");
        int limit = fields.optionalInteger("limit").orElse(100);
        if (limit < 1 || limit > 1_000) {
            throw Refusal.badRequest("limit: must be 1 to 1000, not " + limit);
        }
        Set<GraphStatus> statuses = fields.optionalText("status")
                .map(text -> Set.of(GraphStatus.find(text)
                        .orElseThrow(() -> Refusal.badRequest("status: '" + text + "' is no status of a graph"))))
                .orElse(Set.of());
        GraphQuery query = GraphQuery.all().statuses(statuses).limit(limit);
        query = fields.optionalText("name").map(query::name).orElse(query);
        query = fields.optionalParsed("before", GraphId::of).map(query::before).orElse(query);
        List<GraphInfo> graphs = call.muster().graphs().list(query);
        Map<String, @Nullable Object> result = new LinkedHashMap<>();
        result.put("tasks", graphs.stream().map(GraphDocument::write).toList());
        result.put(
                "next",
                graphs.size() < limit
                        ? null
                        : graphs.get(graphs.size() - 1).id().toString());
        return result;
    }

    private static Object cancel(Call call, @Nullable Object params, Audited audited) {
        JsonObjectReader fields = fields(params, "task_id", "reason");
        GraphId id = graph(fields, call.muster().graphs()::find).id();
        String reason = fields.optionalText("reason").orElse("cancelled over JSON-RPC");
        Map<String, @Nullable Object> details = new LinkedHashMap<>();
        details.put("reason", reason);
        return audited.run(call, "graphs.cancel", id.toString(), details, () -> {
            if (!call.muster().graphs().cancel(id, reason)) {
                throw Refusal.conflict("graph " + id + " has ended");
            }
            return Map.of("task_id", id.toString(), "status", "cancelled");
        });
    }
}
