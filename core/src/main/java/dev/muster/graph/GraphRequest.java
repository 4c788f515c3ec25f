package dev.muster.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A graph to be submitted. Immutable: each method returns a changed copy. */
public final class GraphRequest {
    private final @Nullable String name;
    private final @Nullable String key;
    private final @Nullable GraphId id;
    private final List<TaskRequest> tasks;

    GraphRequest(@Nullable String name, @Nullable String key, @Nullable GraphId id, List<TaskRequest> tasks) {
        this.name = name;
        this.key = key;
        this.id = id;
        this.tasks = List.copyOf(tasks);
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
     * @throws InvalidGraph if it is none of these; the message says where it is
     */
    public static GraphRequest fromJson(String json) {
        return GraphJson.read(json);
    }

    /** Sets what people call graphs of this kind. */
    public GraphRequest name(String wanted) {
        return new GraphRequest(wanted, key, id, tasks);
    }

    /**
     * A second request with the same key, name and tasks submits nothing and gets the id of the first graph; one with others is refused with a
     * {@link dev.muster.job.KeyConflict}.
     */
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

    /** What people call graphs of this kind. */
    public @Nullable String name() {
        return name;
    }

    public @Nullable String key() {
        return key;
    }

    /** The graph's id; null for a new one. */
    public @Nullable GraphId id() {
        return id;
    }

    public List<TaskRequest> tasks() {
        return tasks;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GraphRequest that
                && Objects.equals(name, that.name)
                && Objects.equals(key, that.key)
                && Objects.equals(id, that.id)
                && tasks.equals(that.tasks);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, key, id, tasks);
    }

    @Override
    public String toString() {
        return "GraphRequest[name=" + name + ", key=" + key + ", id=" + id + ", tasks=" + tasks + "]";
    }
}
