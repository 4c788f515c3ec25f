package dev.muster.workflow;

import dev.muster.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A run of a workflow. */
public final class RunInfo {
    private final JobId id;
    private final String workflow;
    private final String version;
    private final RunStatus status;
    private final Optional<String> reason;
    private final String input;
    private final Optional<String> result;
    private final Optional<String> error;
    private final Optional<String> key;
    private final Optional<JobId> parent;
    private final Optional<JobId> continuedAs;
    private final List<String> awaiting;
    private final Optional<Instant> wakeAt;
    private final boolean cancelRequested;
    private final Optional<String> node;
    private final Instant createdAt;
    private final Instant changedAt;
    private final Optional<Instant> finishedAt;

    private RunInfo(
            JobId id,
            String workflow,
            String version,
            RunStatus status,
            Optional<String> reason,
            String input,
            Optional<String> result,
            Optional<String> error,
            Optional<String> key,
            Optional<JobId> parent,
            Optional<JobId> continuedAs,
            List<String> awaiting,
            Optional<Instant> wakeAt,
            boolean cancelRequested,
            Optional<String> node,
            Instant createdAt,
            Instant changedAt,
            Optional<Instant> finishedAt) {
        this.id = id;
        this.workflow = workflow;
        this.version = version;
        this.status = status;
        this.reason = reason;
        this.input = input;
        this.result = result;
        this.error = error;
        this.key = key;
        this.parent = parent;
        this.continuedAs = continuedAs;
        this.awaiting = List.copyOf(awaiting);
        this.wakeAt = wakeAt;
        this.cancelRequested = cancelRequested;
        this.node = node;
        this.createdAt = createdAt;
        this.changedAt = changedAt;
        this.finishedAt = finishedAt;
    }

    /** Begins with what every one has. */
    public static Builder builder(
            JobId id,
            String workflow,
            String version,
            RunStatus status,
            String input,
            Instant createdAt,
            Instant changedAt) {
        return new Builder(id, workflow, version, status, input, createdAt, changedAt);
    }

    /** A builder with all of this. */
    public Builder toBuilder() {
        Builder builder = new Builder(id, workflow, version, status, input, createdAt, changedAt);
        builder.reason = reason;
        builder.result = result;
        builder.error = error;
        builder.key = key;
        builder.parent = parent;
        builder.continuedAs = continuedAs;
        builder.awaiting = awaiting;
        builder.wakeAt = wakeAt;
        builder.cancelRequested = cancelRequested;
        builder.node = node;
        builder.finishedAt = finishedAt;
        return builder;
    }

    public JobId id() {
        return id;
    }

    public String workflow() {
        return workflow;
    }

    public String version() {
        return version;
    }

    public RunStatus status() {
        return status;
    }

    /** Why it is blocked, or how it was resolved. */
    public Optional<String> reason() {
        return reason;
    }

    /** JSON. */
    public String input() {
        return input;
    }

    /** JSON, once completed. */
    public Optional<String> result() {
        return result;
    }

    public Optional<String> error() {
        return error;
    }

    public Optional<String> key() {
        return key;
    }

    public Optional<JobId> parent() {
        return parent;
    }

    /** The run that continues it. */
    public Optional<JobId> continuedAs() {
        return continuedAs;
    }

    /** The events it waits for. */
    public List<String> awaiting() {
        return awaiting;
    }

    /** When it continues, or stops waiting. */
    public Optional<Instant> wakeAt() {
        return wakeAt;
    }

    public boolean cancelRequested() {
        return cancelRequested;
    }

    /** The node that runs it at the moment. */
    public Optional<String> node() {
        return node;
    }

    public Instant createdAt() {
        return createdAt;
    }

    public Instant changedAt() {
        return changedAt;
    }

    public Optional<Instant> finishedAt() {
        return finishedAt;
    }

    /** This run with another input and another result. */
    public RunInfo withPayloads(String newInput, Optional<String> newResult) {
        return new RunInfo(
                id,
                workflow,
                version,
                status,
                reason,
                newInput,
                newResult,
                error,
                key,
                parent,
                continuedAs,
                awaiting,
                wakeAt,
                cancelRequested,
                node,
                createdAt,
                changedAt,
                finishedAt);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunInfo that
                && id.equals(that.id)
                && workflow.equals(that.workflow)
                && version.equals(that.version)
                && status.equals(that.status)
                && reason.equals(that.reason)
                && input.equals(that.input)
                && result.equals(that.result)
                && error.equals(that.error)
                && key.equals(that.key)
                && parent.equals(that.parent)
                && continuedAs.equals(that.continuedAs)
                && awaiting.equals(that.awaiting)
                && wakeAt.equals(that.wakeAt)
                && cancelRequested == that.cancelRequested
                && node.equals(that.node)
                && createdAt.equals(that.createdAt)
                && changedAt.equals(that.changedAt)
                && finishedAt.equals(that.finishedAt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                id,
                workflow,
                version,
                status,
                reason,
                input,
                result,
                error,
                key,
                parent,
                continuedAs,
                awaiting,
                wakeAt,
                cancelRequested,
                node,
                createdAt,
                changedAt,
                finishedAt);
    }

    @Override
    public String toString() {
        return "RunInfo[id=" + id + ", workflow=" + workflow + ", version=" + version + ", status=" + status
                + ", reason=" + reason + ", input=" + input + ", result=" + result + ", error=" + error + ", key=" + key
                + ", parent=" + parent + ", continuedAs=" + continuedAs + ", awaiting=" + awaiting + ", wakeAt="
                + wakeAt + ", cancelRequested=" + cancelRequested + ", node=" + node + ", createdAt=" + createdAt
                + ", changedAt=" + changedAt + ", finishedAt=" + finishedAt + "]";
    }

    /** Builds one; what is not set is empty. */
    public static final class Builder {
        private final JobId id;
        private final String workflow;
        private final String version;
        private final RunStatus status;
        private final String input;
        private final Instant createdAt;
        private final Instant changedAt;
        private Optional<String> reason = Optional.empty();
        private Optional<String> result = Optional.empty();
        private Optional<String> error = Optional.empty();
        private Optional<String> key = Optional.empty();
        private Optional<JobId> parent = Optional.empty();
        private Optional<JobId> continuedAs = Optional.empty();
        private List<String> awaiting = List.of();
        private Optional<Instant> wakeAt = Optional.empty();
        private boolean cancelRequested;
        private Optional<String> node = Optional.empty();
        private Optional<Instant> finishedAt = Optional.empty();

        private Builder(
                JobId id,
                String workflow,
                String version,
                RunStatus status,
                String input,
                Instant createdAt,
                Instant changedAt) {
            this.id = id;
            this.workflow = workflow;
            this.version = version;
            this.status = status;
            this.input = input;
            this.createdAt = createdAt;
            this.changedAt = changedAt;
        }

        public Builder reason(Optional<String> value) {
            reason = value;
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

        public Builder key(Optional<String> value) {
            key = value;
            return this;
        }

        public Builder parent(Optional<JobId> value) {
            parent = value;
            return this;
        }

        public Builder continuedAs(Optional<JobId> value) {
            continuedAs = value;
            return this;
        }

        public Builder awaiting(List<String> value) {
            awaiting = value;
            return this;
        }

        public Builder wakeAt(Optional<Instant> value) {
            wakeAt = value;
            return this;
        }

        public Builder cancelRequested(boolean value) {
            cancelRequested = value;
            return this;
        }

        public Builder node(Optional<String> value) {
            node = value;
            return this;
        }

        public Builder finishedAt(Optional<Instant> value) {
            finishedAt = value;
            return this;
        }

        public RunInfo build() {
            return new RunInfo(
                    id,
                    workflow,
                    version,
                    status,
                    reason,
                    input,
                    result,
                    error,
                    key,
                    parent,
                    continuedAs,
                    awaiting,
                    wakeAt,
                    cancelRequested,
                    node,
                    createdAt,
                    changedAt,
                    finishedAt);
        }
    }
}
