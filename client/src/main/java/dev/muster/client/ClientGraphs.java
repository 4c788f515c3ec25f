package dev.muster.client;

import dev.muster.document.internal.GraphDocument;
import dev.muster.document.internal.GraphQueryDocument;
import dev.muster.document.internal.GraphRequestDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.TaskDocument;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphSubmitter;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs;
import dev.muster.graph.InvalidGraph;
import dev.muster.graph.TaskInfo;
import dev.muster.internal.job.payload.LeftOut;
import dev.muster.job.JobType;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Graphs over HTTP. */
final class ClientGraphs implements Graphs {
    private static final String GRAPHS = "/_api/graphs";
    private static final int MOST_IN_PAGE = 1_000;

    private final Gateway gateway;
    private final JsonCodec json;

    ClientGraphs(Gateway gateway, JsonCodec json) {
        this.gateway = gateway.invalid(InvalidGraph::new);
        this.json = json;
    }

    @Override
    public GraphSubmitter in(Connection connection) {
        throw new NeedsDatabase("submitting graphs in a transaction");
    }

    @Override
    public GraphId submit(GraphRequest request) {
        boolean repeatable = request.key() != null || request.id() != null;
        return gateway.post(GRAPHS, GraphRequestDocument.write(request, json), repeatable)
                .parsed("id", GraphId::of);
    }

    @Override
    public Optional<GraphInfo> find(GraphId graph) {
        return gateway.find(Gateway.path(GRAPHS, graph)).map(GraphDocument::read);
    }

    @Override
    public Optional<GraphTree> tree(GraphId graph) {
        return gateway.find(Gateway.path(GRAPHS, graph)).map(GraphDocument::readTree);
    }

    @Override
    public Optional<TaskInfo> task(GraphId graph, String task) {
        return gateway.find(Gateway.path(GRAPHS, graph, "tasks", task)).map(TaskDocument::read);
    }

    @Override
    public List<GraphInfo> list(GraphQuery query) {
        List<GraphInfo> graphs = new ArrayList<>();
        GraphQuery page = query;
        while (true) {
            int wanted = Math.min(MOST_IN_PAGE, query.limit() - graphs.size());
            page = page.limit(wanted);
            List<GraphInfo> read = gateway.get(GRAPHS, GraphQueryDocument.write(page)).list("graphs").stream()
                    .map(GraphDocument::read)
                    .toList();
            graphs.addAll(read);
            if (read.size() < wanted || graphs.size() >= query.limit()) {
                return graphs;
            }
            page = page.before(read.get(read.size() - 1).id());
        }
    }

    @Override
    public GraphInfo await(GraphId graph, Duration timeout) {
        return Polling.until(
                "graph " + graph + " to end",
                timeout,
                info -> info.status().isTerminal(),
                () -> find(graph).orElseThrow(() -> new MusterException("there is no graph " + graph)));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> @Nullable R result(JobType<?, R> type, TaskInfo task) {
        if (type.result() == Void.class) {
            return null;
        }
        return (R) task.result()
                .map(text -> json.read(LeftOut.requireResult(task.id(), text), type.result()))
                .orElse(null);
    }

    @Override
    public boolean cancel(GraphId graph, String reason) {
        return changed(Gateway.path(GRAPHS, graph, "cancel"), reason, true).isPresent();
    }

    @Override
    public boolean cancel(GraphId graph, String task, String reason) {
        return changed(Gateway.path(GRAPHS, graph, "tasks", task, "cancel"), reason, true)
                .isPresent();
    }

    @Override
    public int retry(GraphId graph) {
        return retried(Gateway.path(GRAPHS, graph, "retry"));
    }

    @Override
    public int retry(GraphId graph, String task) {
        return retried(Gateway.path(GRAPHS, graph, "tasks", task, "retry"));
    }

    private int retried(String path) {
        return changed(path, null, false)
                .map(fields -> fields.integer("retried"))
                .orElse(0);
    }

    /** Empty if nothing was changed; a graph or task that does not exist is an error. */
    private Optional<JsonObjectReader> changed(String path, @Nullable String reason, boolean repeatable) {
        try {
            return Optional.of(gateway.post(
                    path,
                    reason == null
                            ? null
                            : new JsonObjectWriter().put("reason", reason).done(),
                    repeatable));
        } catch (GatewayException e) {
            if (e.isUnchanged()) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
