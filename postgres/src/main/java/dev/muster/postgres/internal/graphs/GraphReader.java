package dev.muster.postgres.internal.graphs;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.job.store.PageText;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Reads graphs and their tasks for lists and pages. */
final class GraphReader {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int PORTION = 100;

    /** About how long a task is in an answer, and a dependency, beside what users have stored. */
    private static final int LENGTH_OF_TASK = 400;

    private static final int LENGTH_OF_DEPENDENCY = 100;

    private final Database database;
    private final Readers readers;

    GraphReader(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    /** Read on the primary, because whoever waits for a graph must see its end. */
    Optional<GraphInfo> find(GraphId graph) {
        return database.reading(connection ->
                database.query("graphs/find").with(p -> p.uuid(graph.value())).first(connection, GraphReader::graph));
    }

    Optional<GraphTree> tree(GraphId graph) {
        return database.reading(connection -> {
            // Later statements see later states: so a graph that has ended has tasks that have ended.
            Optional<GraphInfo> found = database.query("graphs/find")
                    .with(p -> p.uuid(graph.value()))
                    .first(connection, GraphReader::graph);
            return found.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new GraphTree(found.get(), tasks(connection, graph)));
        });
    }

    private List<TaskInfo> tasks(Connection connection, GraphId graph) throws SQLException {
        Map<Integer, List<Dependency>> parents = new HashMap<>();
        database.query("graphs/edges").with(p -> p.uuid(graph.value())).each(connection, row -> {
            LargeReads.count(LENGTH_OF_DEPENDENCY);
            parents.computeIfAbsent(row.getInt(1), child -> new ArrayList<>())
                    .add(new Dependency(row.getString(2), row.getBoolean(3)));
        });
        return database.query("graphs/tasks")
                .with(p -> p.text(LeftOut.TEXT).text(LeftOut.TEXT).uuid(graph.value()))
                .inPortions(connection, PORTION, rows -> tasks(rows, parents));
    }

    /** The driver holds some rows at a time, and what has no room is not kept. */
    private static List<TaskInfo> tasks(ResultSet rows, Map<Integer, List<Dependency>> parents) throws SQLException {
        PageText text = PageText.ofSearch();
        List<TaskInfo> tasks = new ArrayList<>();
        while (rows.next()) {
            LargeReads.count(LENGTH_OF_TASK);
            TaskInfo task = task(rows, parents.getOrDefault(rows.getInt("number"), List.of()), text);
            tasks.add(task.withPayloads(
                    text.orLeftOut(task.inputs()), task.result().map(text::orLeftOut)));
        }
        return tasks;
    }

    Map<TaskStatus, Long> counts(GraphId graph) {
        Map<TaskStatus, Long> counts = new EnumMap<>(TaskStatus.class);
        database.reading(connection -> {
            database.query("graphs/count_tasks")
                    .with(p -> p.uuid(graph.value()))
                    .each(
                            connection,
                            row -> counts.merge(
                                    TaskStatus.stored(row.getString("status")), row.getLong("tasks"), Long::sum));
            return null;
        });
        return counts;
    }

    Optional<TaskInfo> task(GraphId graph, String task) {
        return database.reading(connection -> database.query("graphs/task")
                .with(p -> p.uuid(graph.value()).text(task))
                .first(
                        connection,
                        row -> task(row, parents(connection, graph, row.getInt("number")), PageText.unlimited())));
    }

    private List<Dependency> parents(Connection connection, GraphId graph, int task) throws SQLException {
        return database.query("graphs/edges_of_task")
                .with(p -> p.uuid(graph.value()).number(task))
                .list(connection, row -> new Dependency(row.getString(2), row.getBoolean(3)));
    }

    List<GraphInfo> list(GraphQuery query) {
        UUID before = query.before().map(GraphId::value).orElse(null);
        String name = query.name().orElse(null);
        List<String> statuses = query.statuses().isEmpty()
                ? null
                : query.statuses().stream().map(GraphStatus::text).toList();
        return readers.alongIndexes(
                LIMIT,
                connection -> database.query("graphs/list")
                        .with(p -> p.uuid(before)
                                .uuid(before)
                                .text(name)
                                .text(name)
                                .texts(statuses)
                                .texts(statuses)
                                .number(query.limit()))
                        .list(connection, GraphReader::graph));
    }

    private static GraphInfo graph(ResultSet row) throws SQLException {
        int tasks = row.getInt("tasks");
        return GraphInfo.builder(
                        new GraphId(Rows.id(row)),
                        GraphStatus.stored(row.getString("status")),
                        tasks,
                        tasks - row.getInt("open_tasks"),
                        Rows.instant(row, "created_at"))
                .name(Rows.optionalText(row, "name"))
                .key(Rows.optionalText(row, "key"))
                .cancelRequested(row.getBoolean("cancel_requested"))
                .reason(Rows.optionalText(row, "reason"))
                .finishedAt(Rows.optionalInstant(row, "finished_at"))
                .build();
    }

    private static TaskInfo task(ResultSet row, List<Dependency> parents, PageText text) throws SQLException {
        return TaskInfo.builder(
                        row.getString("task_id"),
                        row.getString("name"),
                        TaskStatus.stored(row.getString("status")),
                        new JobId(row.getObject("job_id", UUID.class)),
                        Trigger.stored(row.getString("trigger")),
                        row.getString("queue"),
                        row.getString("capability"),
                        Priority.ofLevel(row.getInt("priority")),
                        row.getString("inputs"))
                .dependsOn(parents)
                .maxAttempts(Optional.ofNullable(row.getObject("max_attempts", Integer.class)))
                .timeout(Optional.ofNullable(row.getObject("timeout_ms", Long.class))
                        .map(Duration::ofMillis))
                .attempt(row.getInt("attempt"))
                .node(Rows.optionalText(row, "node_id"))
                .result(Rows.optionalText(row, "result"))
                .error(Rows.optionalText(row, "error").map(text::orLeftOut))
                .reason(Rows.optionalText(row, "reason"))
                .startedAt(Rows.optionalInstant(row, "started_at"))
                .finishedAt(Rows.optionalInstant(row, "finished_at"))
                .build();
    }
}
