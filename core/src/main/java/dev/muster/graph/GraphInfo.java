package dev.muster.graph;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A graph. */
public final class GraphInfo {
    private final GraphId id;
    private final Optional<String> name;
    private final Optional<String> key;
    private final GraphStatus status;
    private final int tasks;
    private final int ended;
    private final boolean cancelRequested;
    private final Optional<String> reason;
    private final Instant createdAt;
    private final Optional<Instant> finishedAt;

    private GraphInfo(
            GraphId id,
            Optional<String> name,
            Optional<String> key,
            GraphStatus status,
            int tasks,
            int ended,
            boolean cancelRequested,
            Optional<String> reason,
            Instant createdAt,
            Optional<Instant> finishedAt) {
        this.id = id;
        this.name = name;
        this.key = key;
        this.status = status;
        this.tasks = tasks;
        this.ended = ended;
        this.cancelRequested = cancelRequested;
        this.reason = reason;
        this.createdAt = createdAt;
        this.finishedAt = finishedAt;
    }

    /** Begins with what every one has. */
    public static Builder builder(GraphId id, GraphStatus status, int tasks, int ended, Instant createdAt) {
        return new Builder(id, status, tasks, ended, createdAt);
    }

    /** A builder with all of this. */
    public Builder toBuilder() {
        Builder builder = new Builder(id, status, tasks, ended, createdAt);
        builder.name = name;
        builder.key = key;
        builder.cancelRequested = cancelRequested;
        builder.reason = reason;
        builder.finishedAt = finishedAt;
        return builder;
    }

    public GraphId id() {
        return id;
    }

    public Optional<String> name() {
        return name;
    }

    public Optional<String> key() {
        return key;
    }

    public GraphStatus status() {
        return status;
    }

    /** How many tasks it has. */
    public int tasks() {
        return tasks;
    }

    /** How many of them have ended. */
    public int ended() {
        return ended;
    }

    /** Whether it was cancelled as a whole. */
    public boolean cancelRequested() {
        return cancelRequested;
    }

    /** Why it was cancelled. */
    public Optional<String> reason() {
        return reason;
    }

    public Instant createdAt() {
        return createdAt;
    }

    public Optional<Instant> finishedAt() {
        return finishedAt;
    }

    /** How much of it has ended, in percent. */
    public int progress() {
        return (int) (100L * ended / tasks);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GraphInfo that
                && id.equals(that.id)
                && name.equals(that.name)
                && key.equals(that.key)
                && status.equals(that.status)
                && tasks == that.tasks
                && ended == that.ended
                && cancelRequested == that.cancelRequested
                && reason.equals(that.reason)
                && createdAt.equals(that.createdAt)
                && finishedAt.equals(that.finishedAt);
    }

    @Override
    public int hashCode() {
        return Objects.hash(id, name, key, status, tasks, ended, cancelRequested, reason, createdAt, finishedAt);
    }

    @Override
    public String toString() {
        return "GraphInfo[id=" + id + ", name=" + name + ", key=" + key + ", status=" + status + ", tasks=" + tasks
                + ", ended=" + ended + ", cancelRequested=" + cancelRequested + ", reason=" + reason + ", createdAt="
                + createdAt + ", finishedAt=" + finishedAt + "]";
    }

    /** Builds one; what is not set is empty. */
    public static final class Builder {
        private final GraphId id;
        private final GraphStatus status;
        private final int tasks;
        private final int ended;
        private final Instant createdAt;
        private Optional<String> name = Optional.empty();
        private Optional<String> key = Optional.empty();
        private boolean cancelRequested;
        private Optional<String> reason = Optional.empty();
        private Optional<Instant> finishedAt = Optional.empty();

        private Builder(GraphId id, GraphStatus status, int tasks, int ended, Instant createdAt) {
            this.id = id;
            this.status = status;
            this.tasks = tasks;
            this.ended = ended;
            this.createdAt = createdAt;
        }

        public Builder name(Optional<String> value) {
            name = value;
            return this;
        }

        public Builder key(Optional<String> value) {
            key = value;
            return this;
        }

        public Builder cancelRequested(boolean value) {
            cancelRequested = value;
            return this;
        }

        public Builder reason(Optional<String> value) {
            reason = value;
            return this;
        }

        public Builder finishedAt(Optional<Instant> value) {
            finishedAt = value;
            return this;
        }

        public GraphInfo build() {
            return new GraphInfo(id, name, key, status, tasks, ended, cancelRequested, reason, createdAt, finishedAt);
        }
    }
}
