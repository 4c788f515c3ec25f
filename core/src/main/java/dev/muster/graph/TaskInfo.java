package dev.muster.graph;

import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A task of a graph. */
public final class TaskInfo {
    private final String id;
    private final String name;
    private final TaskStatus status;
    private final JobId job;
    private final Trigger trigger;
    private final List<Dependency> dependsOn;
    private final String queue;
    private final String capability;
    private final Priority priority;
    private final Optional<Integer> maxAttempts;
    private final Optional<Duration> timeout;
    private final String inputs;
    private final int attempt;
    private final Optional<String> node;
    private final Optional<String> result;
    private final Optional<String> error;
    private final Optional<String> reason;
    private final Optional<Instant> startedAt;
    private final Optional<Instant> finishedAt;

    private TaskInfo(
            String id,
            String name,
            TaskStatus status,
            JobId job,
            Trigger trigger,
            List<Dependency> dependsOn,
            String queue,
            String capability,
            Priority priority,
            Optional<Integer> maxAttempts,
            Optional<Duration> timeout,
            String inputs,
            int attempt,
            Optional<String> node,
            Optional<String> result,
            Optional<String> error,
            Optional<String> reason,
            Optional<Instant> startedAt,
            Optional<Instant> finishedAt) {
        this.id = id;
        this.name = name;
        this.status = status;
        this.job = job;
        this.trigger = trigger;
        this.dependsOn = List.copyOf(dependsOn);
        this.queue = queue;
        this.capability = capability;
        this.priority = priority;
        this.maxAttempts = maxAttempts;
        this.timeout = timeout;
        this.inputs = inputs;
        this.attempt = attempt;
        this.node = node;
        this.result = result;
        this.error = error;
        this.reason = reason;
        this.startedAt = startedAt;
        this.finishedAt = finishedAt;
    }

    /** Begins with what every one has. */
    public static Builder builder(
            String id,
            String name,
            TaskStatus status,
            JobId job,
            Trigger trigger,
            String queue,
            String capability,
            Priority priority,
            String inputs) {
        return new Builder(id, name, status, job, trigger, queue, capability, priority, inputs);
    }

    /** A builder with all of this. */
    public Builder toBuilder() {
        Builder builder = new Builder(id, name, status, job, trigger, queue, capability, priority, inputs);
        builder.dependsOn = dependsOn;
        builder.maxAttempts = maxAttempts;
        builder.timeout = timeout;
        builder.attempt = attempt;
        builder.node = node;
        builder.result = result;
        builder.error = error;
        builder.reason = reason;
        builder.startedAt = startedAt;
        builder.finishedAt = finishedAt;
        return builder;
    }

    /** Its id in the graph. */
    public String id() {
        return id;
    }

    /** The name of its job. */
    public String name() {
        return name;
    }

    public TaskStatus status() {
        return status;
    }

    /** The id of its job, which exists once the task is ready. */
    public JobId job() {
        return job;
    }

    public Trigger trigger() {
        return trigger;
    }

    public List<Dependency> dependsOn() {
        return dependsOn;
    }

    public String queue() {
        return queue;
    }

    public String capability() {
        return capability;
    }

    public Priority priority() {
        return priority;
    }

    public Optional<Integer> maxAttempts() {
        return maxAttempts;
    }

    public Optional<Duration> timeout() {
        return timeout;
    }

    /** JSON, as they were submitted. */
    public String inputs() {
        return inputs;
    }

    /** The attempt that runs or was the last; 0 if none has begun. */
    public int attempt() {
        return attempt;
    }

    /** The node that runs it, or ran it last. */
    public Optional<String> node() {
        return node;
    }

    /** JSON, once completed. */
    public Optional<String> result() {
        return result;
    }

    public Optional<String> error() {
        return error;
    }

    /** Why it was skipped or cancelled. */
    public Optional<String> reason() {
        return reason;
    }

    public Optional<Instant> startedAt() {
        return startedAt;
    }

    public Optional<Instant> finishedAt() {
        return finishedAt;
    }

    /** This task with other inputs and another result. */
    public TaskInfo withPayloads(String newInputs, Optional<String> newResult) {
        return new TaskInfo(
                id,
                name,
                status,
                job,
                trigger,
                dependsOn,
                queue,
                capability,
                priority,
                maxAttempts,
                timeout,
                newInputs,
                attempt,
                node,
                newResult,
                error,
                reason,
                startedAt,
                finishedAt);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TaskInfo that
                && id.equals(that.id)
                && name.equals(that.name)
                && status.equals(that.status)
                && job.equals(that.job)
                && trigger.equals(that.trigger)
                && dependsOn.equals(that.dependsOn)
                && queue.equals(that.queue)
                && capability.equals(that.capability)
                && priority.equals(that.priority)
                && maxAttempts.equals(that.maxAttempts)
                && timeout.equals(that.timeout)
                && inputs.equals(that.inputs)
                && attempt == that.attempt
                && node.equals(that.node)
                && result.equals(that.result)
                && error.equals(that.error)
                && reason.equals(that.reason)
                && startedAt.equals(that.startedAt)
                && finishedAt.equals(that.finishedAt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                id,
                name,
                status,
                job,
                trigger,
                dependsOn,
                queue,
                capability,
                priority,
                maxAttempts,
                timeout,
                inputs,
                attempt,
                node,
                result,
                error,
                reason,
                startedAt,
                finishedAt);
    }

    @Override
    public String toString() {
        return "TaskInfo[id=" + id + ", name=" + name + ", status=" + status + ", job=" + job + ", trigger=" + trigger
                + ", dependsOn=" + dependsOn + ", queue=" + queue + ", capability=" + capability + ", priority="
                + priority + ", maxAttempts=" + maxAttempts + ", timeout=" + timeout + ", inputs=" + inputs
                + ", attempt=" + attempt + ", node=" + node + ", result=" + result + ", error=" + error + ", reason="
                + reason + ", startedAt=" + startedAt + ", finishedAt=" + finishedAt + "]";
    }

    /** Builds one; what is not set is empty. */
    public static final class Builder {
        private final String id;
        private final String name;
        private final TaskStatus status;
        private final JobId job;
        private final Trigger trigger;
        private final String queue;
        private final String capability;
        private final Priority priority;
        private final String inputs;
        private List<Dependency> dependsOn = List.of();
        private Optional<Integer> maxAttempts = Optional.empty();
        private Optional<Duration> timeout = Optional.empty();
        private int attempt;
        private Optional<String> node = Optional.empty();
        private Optional<String> result = Optional.empty();
        private Optional<String> error = Optional.empty();
        private Optional<String> reason = Optional.empty();
        private Optional<Instant> startedAt = Optional.empty();
        private Optional<Instant> finishedAt = Optional.empty();

        private Builder(
                String id,
                String name,
                TaskStatus status,
                JobId job,
                Trigger trigger,
                String queue,
                String capability,
                Priority priority,
                String inputs) {
            this.id = id;
            this.name = name;
            this.status = status;
            this.job = job;
            this.trigger = trigger;
            this.queue = queue;
            this.capability = capability;
            this.priority = priority;
            this.inputs = inputs;
        }

        public Builder dependsOn(List<Dependency> value) {
            dependsOn = value;
            return this;
        }

        public Builder maxAttempts(Optional<Integer> value) {
            maxAttempts = value;
            return this;
        }

        public Builder timeout(Optional<Duration> value) {
            timeout = value;
            return this;
        }

        public Builder attempt(int value) {
            attempt = value;
            return this;
        }

        public Builder node(Optional<String> value) {
            node = value;
            return this;
        }

        public Builder result(Optional<String> value) {
            result = value;
            return this;
        }

        public Builder error(Optional<String> value) {
            error = value;
            return this;
        }

        public Builder reason(Optional<String> value) {
            reason = value;
            return this;
        }

        public Builder startedAt(Optional<Instant> value) {
            startedAt = value;
            return this;
        }

        public Builder finishedAt(Optional<Instant> value) {
            finishedAt = value;
            return this;
        }

        public TaskInfo build() {
            return new TaskInfo(
                    id,
                    name,
                    status,
                    job,
                    trigger,
                    dependsOn,
                    queue,
                    capability,
                    priority,
                    maxAttempts,
                    timeout,
                    inputs,
                    attempt,
                    node,
                    result,
                    error,
                    reason,
                    startedAt,
                    finishedAt);
        }
    }
}
