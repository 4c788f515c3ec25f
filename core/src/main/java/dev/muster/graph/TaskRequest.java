package dev.muster.graph;

import dev.muster.job.JobType;
import dev.muster.job.Placement;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task of a graph to be submitted. Immutable: each method returns a changed copy. Options that are not set come from the handler, as
 * with a {@link dev.muster.job.JobRequest}. The task is checked when its graph is submitted.
 *
 * @param id what other tasks call it; unique in its graph
 * @param name the name of the job that it runs as
 * @param inputs any value the {@code JsonCodec} can write, or {@link dev.muster.job.RawJson}. Each placeholder in it, made with
 *     {@link #from}, is replaced by the result of a parent before the task runs
 * @param trigger when the task runs; {@link Trigger#ALL_SUCCESS} unless another one is set
 * @param placement which nodes may run it, besides what {@code capability} says
 */
public record TaskRequest(
        String id,
        String name,
        @Nullable Object inputs,
        List<Dependency> dependsOn,
        Trigger trigger,
        @Nullable Priority priority,
        @Nullable String queue,
        @Nullable String capability,
        Placement placement,
        @Nullable Integer maxAttempts,
        @Nullable Duration timeout) {

    /**
     * A parent of a task.
     *
     * @param required whether the trigger counts how it ends; an optional parent is only waited for
     */
    public record Dependency(String id, boolean required) {}

    public TaskRequest {
        dependsOn = List.copyOf(dependsOn);
    }

    /** A task without inputs. */
    public static TaskRequest of(String id, String name) {
        return new TaskRequest(
                id, name, null, List.of(), Trigger.ALL_SUCCESS, null, null, null, Placement.ANYWHERE, null, null);
    }

    public static TaskRequest of(String id, String name, @Nullable Object inputs) {
        return of(id, name).inputs(inputs);
    }

    public static TaskRequest of(String id, JobType<?, ?> type) {
        return of(id, type.name());
    }

    /** A placeholder in inputs for the whole result of a parent. */
    public static Map<String, String> from(String parent) {
        return Map.of("from", parent);
    }

    /**
     * A placeholder in inputs for a part of the result of a parent.
     *
     * @param path a JSON pointer, such as {@code /rows/0}
     */
    public static Map<String, String> from(String parent, String path) {
        return Map.of("from", parent, "path", path);
    }

    public TaskRequest inputs(@Nullable Object wanted) {
        return new TaskRequest(
                id, name, wanted, dependsOn, trigger, priority, queue, capability, placement, maxAttempts, timeout);
    }

    /** Adds parents whose end counts. */
    public TaskRequest dependsOn(String... parents) {
        return more(true, parents);
    }

    /** Adds parents that are waited for, however they end. */
    public TaskRequest dependsOnOptional(String... parents) {
        return more(false, parents);
    }

    private TaskRequest more(boolean required, String... parents) {
        List<Dependency> all = new ArrayList<>(dependsOn);
        Arrays.stream(parents).map(parent -> new Dependency(parent, required)).forEach(all::add);
        return new TaskRequest(
                id, name, inputs, all, trigger, priority, queue, capability, placement, maxAttempts, timeout);
    }

    public TaskRequest trigger(Trigger wanted) {
        return new TaskRequest(
                id, name, inputs, dependsOn, wanted, priority, queue, capability, placement, maxAttempts, timeout);
    }

    public TaskRequest priority(Priority wanted) {
        return new TaskRequest(
                id, name, inputs, dependsOn, trigger, wanted, queue, capability, placement, maxAttempts, timeout);
    }

    public TaskRequest queue(String wanted) {
        return new TaskRequest(
                id, name, inputs, dependsOn, trigger, priority, wanted, capability, placement, maxAttempts, timeout);
    }

    /** Only nodes with this capability may run the task. */
    public TaskRequest capability(String wanted) {
        return new TaskRequest(
                id, name, inputs, dependsOn, trigger, priority, queue, wanted, placement, maxAttempts, timeout);
    }

    public TaskRequest placement(Placement wanted) {
        return new TaskRequest(
                id, name, inputs, dependsOn, trigger, priority, queue, capability, wanted, maxAttempts, timeout);
    }

    /** Only nodes with all of these capabilities, such as {@code gpu}, and labels, such as {@code zone=eu}, may run the task. */
    public TaskRequest require(String... terms) {
        return placement(placement.require(terms));
    }

    /** Nodes with any of these capabilities or labels may not run the task. */
    public TaskRequest forbid(String... terms) {
        return placement(placement.forbid(terms));
    }

    /** Only these nodes may run the task. */
    public TaskRequest onNodes(String... nodes) {
        return placement(placement.onNodes(nodes));
    }

    /** These nodes may not run the task. */
    public TaskRequest notOnNodes(String... nodes) {
        return placement(placement.notOnNodes(nodes));
    }

    /** How many failures end the task as failed. */
    public TaskRequest maxAttempts(int wanted) {
        return new TaskRequest(
                id, name, inputs, dependsOn, trigger, priority, queue, capability, placement, wanted, timeout);
    }

    /** How long one attempt may run. */
    public TaskRequest timeout(Duration wanted) {
        return new TaskRequest(
                id, name, inputs, dependsOn, trigger, priority, queue, capability, placement, maxAttempts, wanted);
    }
}
