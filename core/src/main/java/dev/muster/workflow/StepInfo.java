package dev.muster.workflow;

import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A stored step of a run. */
public final class StepInfo {
    private final String path;
    private final String name;
    private final String kind;
    private final String status;
    private final int attempt;
    private final Optional<String> node;
    private final Optional<String> result;
    private final Optional<String> error;
    private final Optional<Instant> dueAt;
    private final Optional<String> compensation;
    private final Instant storedAt;

    private StepInfo(
            String path,
            String name,
            String kind,
            String status,
            int attempt,
            Optional<String> node,
            Optional<String> result,
            Optional<String> error,
            Optional<Instant> dueAt,
            Optional<String> compensation,
            Instant storedAt) {
        this.path = path;
        this.name = name;
        this.kind = kind;
        this.status = status;
        this.attempt = attempt;
        this.node = node;
        this.result = result;
        this.error = error;
        this.dueAt = dueAt;
        this.compensation = compensation;
        this.storedAt = storedAt;
    }

    /** Begins with what every one has. */
    public static Builder builder(String path, String name, String kind, String status, Instant storedAt) {
        return new Builder(path, name, kind, status, storedAt);
    }

    /** A builder with all of this. */
    public Builder toBuilder() {
        Builder builder = new Builder(path, name, kind, status, storedAt);
        builder.attempt = attempt;
        builder.node = node;
        builder.result = result;
        builder.error = error;
        builder.dueAt = dueAt;
        builder.compensation = compensation;
        return builder;
    }

    /** Its position in the code: 0, 1, 2.0.1; compensations have the path of their step after {@code c.} */
    public String path() {
        return path;
    }

    public String name() {
        return name;
    }

    /** One of step, sleep, event, child, time and compensation. */
    public String kind() {
        return kind;
    }

    /** One of completed, failed, retrying, waiting and timed_out. */
    public String status() {
        return status;
    }

    /** Whether it is not over: it waits, or is tried again. */
    public boolean isOpen() {
        return is(StepState.WAITING) || is(StepState.RETRYING);
    }

    boolean is(StepState state) {
        return state.name().equalsIgnoreCase(status);
    }

    boolean is(StepKind what) {
        return what.name().equalsIgnoreCase(kind);
    }

    public int attempt() {
        return attempt;
    }

    public Optional<String> node() {
        return node;
    }

    /** JSON. */
    public Optional<String> result() {
        return result;
    }

    public Optional<String> error() {
        return error;
    }

    public Optional<Instant> dueAt() {
        return dueAt;
    }

    public Optional<String> compensation() {
        return compensation;
    }

    public Instant storedAt() {
        return storedAt;
    }

    public StepInfo withResult(Optional<String> newResult) {
        return toBuilder().result(newResult).build();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StepInfo that
                && path.equals(that.path)
                && name.equals(that.name)
                && kind.equals(that.kind)
                && status.equals(that.status)
                && attempt == that.attempt
                && node.equals(that.node)
                && result.equals(that.result)
                && error.equals(that.error)
                && dueAt.equals(that.dueAt)
                && compensation.equals(that.compensation)
                && storedAt.equals(that.storedAt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(path, name, kind, status, attempt, node, result, error, dueAt, compensation, storedAt);
    }

    @Override
    public String toString() {
        return "StepInfo[path=" + path + ", name=" + name + ", kind=" + kind + ", status=" + status + ", attempt="
                + attempt + ", node=" + node + ", result=" + result + ", error=" + error + ", dueAt=" + dueAt
                + ", compensation=" + compensation + ", storedAt=" + storedAt + "]";
    }

    /** Builds one; what is not set is empty. */
    public static final class Builder {
        private final String path;
        private final String name;
        private final String kind;
        private final String status;
        private final Instant storedAt;
        private int attempt;
        private Optional<String> node = Optional.empty();
        private Optional<String> result = Optional.empty();
        private Optional<String> error = Optional.empty();
        private Optional<Instant> dueAt = Optional.empty();
        private Optional<String> compensation = Optional.empty();

        private Builder(String path, String name, String kind, String status, Instant storedAt) {
            this.path = path;
            this.name = name;
            this.kind = kind;
            this.status = status;
            this.storedAt = storedAt;
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

        public Builder dueAt(Optional<Instant> value) {
            dueAt = value;
            return this;
        }

        public Builder compensation(Optional<String> value) {
            compensation = value;
            return this;
        }

        public StepInfo build() {
            return new StepInfo(path, name, kind, status, attempt, node, result, error, dueAt, compensation, storedAt);
        }
    }
}
