package dev.muster.postgres.internal.graphs;

import dev.muster.graph.GraphId;
import dev.muster.internal.graph.GraphStore.NewGraph;
import dev.muster.internal.graph.GraphStore.NewTask;
import dev.muster.internal.graph.GraphStore.Submitted;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.jobs.PlacementLimit;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes a new graph: its row, its tasks and edges, and the jobs of the tasks that are ready. */
final class GraphWriter {
    private final Database database;
    private final PlacementLimit placements;

    GraphWriter(Database database, PlacementLimit placements) {
        this.database = database;
        this.placements = placements;
    }

    private record Edge(int parent, int child, boolean required) {}

    /** Adds the graph with its tasks and edges, and the jobs of the tasks that are ready, or finds the graph that has its id or key. */
    Submitted add(Connection connection, NewGraph graph) throws SQLException {
        // First, because a caller may commit although a placement was refused: no graph without tasks may be left.
        placements.admit(
                connection,
                graph.tasks().stream().map(task -> task.options().lane()).collect(Collectors.toSet()));
        int tasks = graph.tasks().size();
        Optional<UUID> added = database.query("graphs/add")
                .with(p -> p.uuid(graph.id().value())
                        .text(graph.name())
                        .text(graph.key())
                        .number(tasks)
                        .number(tasks)
                        .text(
                                graph.fingerprint() == null
                                        ? null
                                        : graph.fingerprint().keyId())
                        .text(
                                graph.fingerprint() == null
                                        ? null
                                        : graph.fingerprint().hash()))
                .first(connection, Rows::id);
        if (added.isEmpty()) {
            return new Submitted(existing(connection, graph), false, Set.of());
        }
        database.query("graphs/add_tasks")
                .with(p -> bind(p.uuid(graph.id().value()).text(graph.trace()), graph.tasks()))
                .update(connection);
        addEdges(connection, graph);
        List<Integer> roots = graph.tasks().stream()
                .filter(task -> task.parents().isEmpty())
                .map(NewTask::number)
                .toList();
        return new Submitted(graph.id(), true, decide(connection, "graphs/call_decide", graph.id(), roots));
    }

    private GraphId existing(Connection connection, NewGraph graph) throws SQLException {
        Holder holder = database.query("graphs/find_submitted")
                .with(p -> p.uuid(graph.id().value()).text(graph.key()))
                .first(
                        connection,
                        row -> new Holder(
                                new GraphId(Rows.id(row)), row.getString(2), row.getString(3), row.getString(4)))
                .orElseThrow(() -> new MusterException("the graph with key '" + graph.key()
                        + "' was deleted while this one was submitted; submit it again"));
        holder.requireSame(graph);
        return holder.id();
    }

    /**
     * The graph that has an id or a key.
     *
     * @param hash of what was asked for; null if it has no key, or was submitted by a version that kept none
     */
    private record Holder(
            GraphId id,
            @Nullable String key,
            @Nullable String keyId,
            @Nullable String hash) {

        void requireSame(NewGraph graph) {
            if (graph.fingerprint() != null && hash != null && Objects.equals(key, graph.key())) {
                graph.fingerprint()
                        .requireSame(
                                keyId, hash, "key '" + key + "' already stands for graph " + id, new JobId(id.value()));
            }
        }
    }

    private static void bind(Params params, List<NewTask> tasks) throws SQLException {
        params.column("int4", tasks, NewTask::number)
                .column("text", tasks, NewTask::id)
                .uuids(tasks.stream().map(task -> task.job().value()).toList())
                .column("text", tasks, NewTask::name)
                .column("text", tasks, task -> task.options().queue())
                .column("text", tasks, task -> task.options().capability())
                .column("int2", tasks, task -> task.options().priority().level())
                .column("int2", tasks, task -> task.options().maxAttempts())
                .column("int2", tasks, task -> task.options().maxCrashes())
                .column("int8", tasks, GraphWriter::timeout)
                .column("text", tasks, task -> task.trigger().text())
                .column("text", tasks, NewTask::inputs)
                .column("text", tasks, NewTask::metadata)
                .column("text", tasks, task -> array(task.tags()))
                .column("text", tasks, task -> array(task.takesFrom()))
                .column("int4", tasks, task -> task.parents().size())
                .column("int4", tasks, task -> (int) task.parents().values().stream()
                        .filter(required -> required)
                        .count());
    }

    private static @Nullable Long timeout(NewTask task) {
        return task.options().timeout() == null
                ? null
                : task.options().timeout().toMillis();
    }

    private static @Nullable String array(Collection<?> elements) {
        return elements.isEmpty()
                ? null
                : elements.stream().map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
    }

    private void addEdges(Connection connection, NewGraph graph) throws SQLException {
        List<Edge> edges = new ArrayList<>();
        for (NewTask task : graph.tasks()) {
            task.parents().forEach((parent, required) -> edges.add(new Edge(parent, task.number(), required)));
        }
        if (!edges.isEmpty()) {
            database.query("graphs/add_edges")
                    .with(p -> p.uuid(graph.id().value())
                            .column("int4", edges, Edge::parent)
                            .column("int4", edges, Edge::child)
                            .column("bool", edges, Edge::required))
                    .update(connection);
        }
    }

    /** Lets the database decide about tasks of a graph, and returns the lanes in which jobs have become claimable. */
    Set<Lane> decide(Connection connection, String statement, GraphId graph, List<Integer> numbers)
            throws SQLException {
        return new HashSet<>(database.query(statement)
                .with(p -> p.uuid(graph.value()).number(numbers.size()).column("int4", numbers, number -> number))
                .list(connection, row -> new Lane(row.getString(1), row.getString(2))));
    }
}
