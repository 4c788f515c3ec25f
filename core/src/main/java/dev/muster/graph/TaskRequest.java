package dev.muster.graph;

import dev.muster.job.JobOptions;
import dev.muster.job.JobType;
import dev.muster.job.Placement;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A task of a graph to be submitted. Immutable: each method returns a changed copy. Options that are not set come from the handler, as
 * with a {@link dev.muster.job.JobRequest}. The task is checked when its graph is submitted.
 */
public final class TaskRequest {
    private final String id;
    private final String name;
    private final @Nullable Object inputs;
    private final List<Dependency> dependsOn;
    private final Trigger trigger;
    private final JobOptions options;
    private final Placement placement;

    TaskRequest(
            String id,
            String name,
            @Nullable Object inputs,
            List<Dependency> dependsOn,
            Trigger trigger,
            JobOptions options,
            Placement placement) {
        this.id = id;
        this.name = name;
        this.inputs = inputs;
        this.dependsOn = List.copyOf(dependsOn);
        this.trigger = trigger;
        this.options = options;
        this.placement = placement;
    }

    /**
     * A parent of a task.
     *
     * @param required whether the trigger counts how it ends; an optional parent is only waited for
     */
    public record Dependency(String id, boolean required) {}

    /** A task without inputs. */
    public static TaskRequest of(String id, String name) {
        return new TaskRequest(id, name, null, List.of(), Trigger.ALL_SUCCESS, JobOptions.NONE, Placement.ANYWHERE);
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

    /**
     * Sets the inputs: any value the {@code JsonCodec} can write, or {@link dev.muster.job.RawJson}. Each placeholder in it, made with
     * {@link #from}, is replaced by the result of a parent before the task runs.
     */
    public TaskRequest inputs(@Nullable Object wanted) {
        return new TaskRequest(id, name, wanted, dependsOn, trigger, options, placement);
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
        return new TaskRequest(id, name, inputs, all, trigger, options, placement);
    }

    /** Sets when the task runs; {@link Trigger#ALL_SUCCESS} unless another one is set. */
    public TaskRequest trigger(Trigger wanted) {
        return new TaskRequest(id, name, inputs, dependsOn, wanted, options, placement);
    }

    public TaskRequest priority(Priority wanted) {
        return new TaskRequest(id, name, inputs, dependsOn, trigger, options.priority(wanted), placement);
    }

    public TaskRequest queue(String wanted) {
        return new TaskRequest(id, name, inputs, dependsOn, trigger, options.queue(wanted), placement);
    }

    /** Only nodes with this capability may run the task. */
    public TaskRequest capability(String wanted) {
        return new TaskRequest(id, name, inputs, dependsOn, trigger, options.capability(wanted), placement);
    }

    /** Says which nodes may run the task, besides what {@link #capability(String)} says. */
    public TaskRequest placement(Placement wanted) {
        return new TaskRequest(id, name, inputs, dependsOn, trigger, options, wanted);
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
        return new TaskRequest(id, name, inputs, dependsOn, trigger, options.maxAttempts(wanted), placement);
    }

    /** How long one attempt may run. */
    public TaskRequest timeout(Duration wanted) {
        return new TaskRequest(id, name, inputs, dependsOn, trigger, options.timeout(wanted), placement);
    }

    /** What other tasks call it; unique in its graph. */
    public String id() {
        return id;
    }

    /** The name of the job that it runs as. */
    public String name() {
        return name;
    }

    /** Any value the {@code JsonCodec} can write, or {@link dev.muster.job.RawJson}. */
    public @Nullable Object inputs() {
        return inputs;
    }

    public List<Dependency> dependsOn() {
        return dependsOn;
    }

    public Trigger trigger() {
        return trigger;
    }

    public @Nullable Priority priority() {
        return options.priority();
    }

    public @Nullable String queue() {
        return options.queue();
    }

    public @Nullable String capability() {
        return options.capability();
    }

    /** Which nodes may run it, besides what {@link #capability()} says. */
    public Placement placement() {
        return placement;
    }

    public @Nullable Integer maxAttempts() {
        return options.maxAttempts();
    }

    public @Nullable Duration timeout() {
        return options.timeout();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TaskRequest that
                && id.equals(that.id)
                && name.equals(that.name)
                && Objects.equals(inputs, that.inputs)
                && dependsOn.equals(that.dependsOn)
                && trigger.equals(that.trigger)
                && options.equals(that.options)
                && placement.equals(that.placement);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, name, inputs, dependsOn, trigger, options, placement);
    }

    @Override
    public String toString() {
        return "TaskRequest[id=" + id + ", name=" + name + ", inputs=" + inputs + ", dependsOn=" + dependsOn
                + ", trigger=" + trigger + ", priority=" + priority() + ", queue=" + queue() + ", capability="
                + capability()
                + ", placement=" + placement + ", maxAttempts=" + maxAttempts() + ", timeout=" + timeout() + "]";
    }
}
