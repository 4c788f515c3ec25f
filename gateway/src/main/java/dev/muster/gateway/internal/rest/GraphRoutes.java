package dev.muster.gateway.internal.rest;

import dev.muster.document.internal.GraphDocument;
import dev.muster.document.internal.GraphQueryDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.TaskDocument;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.internal.graph.WaitingReasons;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Graphs of tasks: submit, list, show, cancel, retry. */
public final class GraphRoutes {
    private static final List<String> STATUSES =
            GraphStatus.known().stream().map(GraphStatus::text).toList();
    private static final String NO_REASON = "cancelled over HTTP";

    public static final List<Route> ALL = List.of(
            Route.get("/_api/graphs", "List graphs, the newest first.")
                    .query("name", Schema.text(), "only graphs with this name")
                    .queries("status", Schema.oneOf(STATUSES), "only graphs with one of these statuses")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .query("before", Schema.uuid(), Parameters.BEFORE_TEXT)
                    .answers(Schemas.pageOf("graphs", Schemas.GRAPH))
                    .to(GraphRoutes::list),
            Route.post("/_api/graphs", "Submit a graph. With a key that is taken, answers 200 and the existing graph.")
                    .takes(Schemas.GRAPH_REQUEST)
                    .answers(201, Schemas.GRAPH_TREE)
                    .orAnswers(200, Schemas.GRAPH_TREE, "a graph with this key and these tasks was there before")
                    .answersHeader("Location", Parameters.LOCATION_TEXT)
                    .to(GraphRoutes::submit),
            Route.get("/_api/graphs/{id}", "Show a graph with all its tasks, and why they wait.")
                    .path("id", Schema.uuid())
                    .answers(Schemas.GRAPH_TREE)
                    .to(call -> show(call, id(call))),
            Route.post("/_api/graphs/{id}/cancel", "Cancel a graph: tasks that wait end at once, others are told.")
                    .path("id", Schema.uuid())
                    .audited("graphs.cancel", "reason")
                    .mayTake(Schema.object().members("reason:text~"))
                    .answers(Schemas.GRAPH_TREE)
                    .to(call -> {
                        GraphId id = graph(call);
                        return changed(call, id, call.muster().graphs().cancel(id, reason(call)), "has ended");
                    }),
            Route.post("/_api/graphs/{id}/retry", "Run all failed and cancelled tasks again.")
                    .path("id", Schema.uuid())
                    .audited("graphs.retry")
                    .answers(Schemas.GRAPH_TREE)
                    .to(call -> {
                        GraphId id = graph(call);
                        requireStart(call, id);
                        int retried = call.muster().graphs().retry(id);
                        return retried(call, id, retried, "has no task that failed or was cancelled");
                    }),
            Route.get("/_api/graphs/{id}/tasks/{task}", "Show a task of a graph, with its whole inputs and result.")
                    .path("id", Schema.uuid())
                    .answers(Schemas.TASK)
                    .to(GraphRoutes::showTask),
            Route.post("/_api/graphs/{id}/tasks/{task}/cancel", "Cancel a task and all tasks below it.")
                    .path("id", Schema.uuid())
                    .audited("graphs.cancel", "reason")
                    .mayTake(Schema.object().members("reason:text~"))
                    .answers(Schemas.GRAPH_TREE)
                    .to(call -> {
                        GraphId id = task(call);
                        boolean done = call.muster().graphs().cancel(id, call.path("task"), reason(call));
                        return changed(call, id, done, "has no task to cancel there");
                    }),
            Route.post("/_api/graphs/{id}/tasks/{task}/retry", "Run a failed or cancelled task again.")
                    .path("id", Schema.uuid())
                    .audited("graphs.retry")
                    .answers(Schemas.GRAPH_TREE)
                    .to(call -> {
                        GraphId id = task(call);
                        requireStart(call, id);
                        int retried = call.muster().graphs().retry(id, call.path("task"));
                        return retried(call, id, retried, "has no task to retry there");
                    }));

    private GraphRoutes() {}

    private static GraphId id(Call call) {
        return Parameters.inPath(call, "id", GraphId::of);
    }

    /** The id of a graph that exists. */
    private static GraphId graph(Call call) {
        GraphId id = id(call);
        return call.muster().graphs().find(id).map(GraphInfo::id).orElseThrow(() -> Parameters.none("graph", id));
    }

    /** The id of a graph that has the task in the path. */
    private static GraphId task(Call call) {
        GraphId id = graph(call);
        found(call, id);
        return id;
    }

    private static TaskInfo found(Call call, GraphId id) {
        return call.muster()
                .graphs()
                .task(id, call.path("task"))
                .orElseThrow(() -> Parameters.none("task", call.path("task") + " in graph " + id));
    }

    /** The tasks below a task run again, too. */
    private static void requireStart(Call call, GraphId id) {
        if (!call.caller().names().allowsAll()) {
            tree(call, id).tasks().forEach(task -> call.requireStart(task.name()));
        }
    }

    private static Answer showTask(Call call) {
        GraphId id = graph(call);
        TaskInfo task = found(call, id);
        boolean waits = task.status() == TaskStatus.WAITING || task.status() == TaskStatus.PENDING;
        Map<String, String> reasons =
                waits ? WaitingReasons.of(call.muster().jobs(), tree(call, id), task.id()) : Map.of();
        return Answer.of(TaskDocument.write(task, reasons.get(task.id())));
    }

    private static GraphTree tree(Call call, GraphId id) {
        return call.muster().graphs().tree(id).orElseThrow(() -> Parameters.none("graph", id));
    }

    private static Answer show(Call call, GraphId id) {
        return Answer.of(document(call, id));
    }

    /** The graph with its tasks, and why those that wait do. */
    private static Map<String, @Nullable Object> document(Call call, GraphId id) {
        GraphTree tree = tree(call, id);
        return GraphDocument.write(tree, WaitingReasons.of(call.muster().jobs(), tree));
    }

    private static Answer changed(Call call, GraphId id, boolean done, String otherwise) {
        if (!done) {
            throw Refusal.unchanged("graph " + id + " " + otherwise);
        }
        return Answer.of(read(call, id));
    }

    /** The graph after a change. */
    private static Map<String, @Nullable Object> read(Call call, GraphId id) {
        return AfterChange.read(call, () -> document(call, id), "id", id);
    }

    /** The graph, and how many tasks wait or run again. */
    private static Answer retried(Call call, GraphId id, int retried, String otherwise) {
        if (retried == 0) {
            throw Refusal.unchanged("graph " + id + " " + otherwise);
        }
        return Answer.of(
                JsonObjectWriter.of(read(call, id)).put("retried", retried).done());
    }

    private static String reason(Call call) {
        JsonObjectReader fields = call.fields();
        fields.refuseOthers("reason");
        return fields.optionalText("reason").orElse(NO_REASON);
    }

    private static Answer list(Call call) {
        GraphQuery query = GraphQueryDocument.read(call.query());
        List<GraphInfo> graphs = call.muster().graphs().list(query);
        return Answer.page(
                "graphs",
                graphs,
                query.limit(),
                GraphDocument::write,
                one -> one.id().toString());
    }

    private static Answer submit(Call call) {
        GraphRequest request = GraphRequest.fromJson(String.valueOf(call.body()));
        request.tasks().forEach(task -> call.requireStart(task.name()));
        // With an id of its own, a graph that has the key already can be told from a new one.
        GraphRequest sent = request.key() == null || request.id() != null ? request : request.id(GraphId.next());
        GraphId id = call.muster().graphs().submit(sent);
        boolean created = sent.key() == null || id.equals(sent.id());
        return (created ? Answer.created(read(call, id)) : Answer.of(read(call, id)))
                .header("Location", "graphs/" + id);
    }
}
