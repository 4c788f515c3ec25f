package dev.muster.graph;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph to be submitted. Immutable: each method returns a changed copy.
 *
 * @param name what people call graphs of this kind
 * @param key a second request with the same key submits nothing and gets the id of the first graph, whatever its tasks are
 * @param id the graph's id; null for a new one
 */
public record GraphRequest(
        @Nullable String name,
        @Nullable String key,
        @Nullable GraphId id,
        List<TaskRequest> tasks) {

    public GraphRequest {
        tasks = List.copyOf(tasks);
    }

    public static GraphRequest of(TaskRequest... tasks) {
        return new GraphRequest(null, null, null, List.of(tasks));
    }

    public static GraphRequest of(List<TaskRequest> tasks) {
        return new GraphRequest(null, null, null, tasks);
    }

    /**
     * Reads a graph from JSON: an object with {@code tasks} and perhaps {@code name} and {@code key}, a list of tasks, or a whole JSON-RPC
     * call of {@code tasks.execute}.
     *
     * @throws InvalidGraph if it is none of these; the message names the place
     */
    public static GraphRequest fromJson(String json) {
        return GraphJson.read(json);
    }

    public GraphRequest name(String wanted) {
        return new GraphRequest(wanted, key, id, tasks);
    }

    public GraphRequest key(String wanted) {
        return new GraphRequest(name, wanted, id, tasks);
    }

    /** Chooses the id, so that a request that is sent again submits no second graph. */
    public GraphRequest id(GraphId wanted) {
        return new GraphRequest(name, key, wanted, tasks);
    }

    /** Adds a task. */
    public GraphRequest task(TaskRequest task) {
        List<TaskRequest> all = new ArrayList<>(tasks);
        all.add(task);
        return new GraphRequest(name, key, id, all);
    }
}
