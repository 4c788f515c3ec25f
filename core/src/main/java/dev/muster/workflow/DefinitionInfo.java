package dev.muster.workflow;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A version of a workflow that some node has published. */
public final class DefinitionInfo {
    private final String name;
    private final String version;
    private final String signature;
    private final Workflow.Lifecycle lifecycle;
    private final List<String> steps;
    private final boolean live;
    private final boolean paused;
    private final Instant firstSeen;

    private DefinitionInfo(
            String name,
            String version,
            String signature,
            Workflow.Lifecycle lifecycle,
            List<String> steps,
            boolean live,
            boolean paused,
            Instant firstSeen) {
        this.name = name;
        this.version = version;
        this.signature = signature;
        this.lifecycle = lifecycle;
        this.steps = List.copyOf(steps);
        this.live = live;
        this.paused = paused;
        this.firstSeen = firstSeen;
    }

    /** Begins with what every one has. */
    public static Builder builder(
            String name, String version, String signature, Workflow.Lifecycle lifecycle, Instant firstSeen) {
        return new Builder(name, version, signature, lifecycle, firstSeen);
    }

    /** A builder with all of this. */
    public Builder toBuilder() {
        Builder builder = new Builder(name, version, signature, lifecycle, firstSeen);
        builder.steps = steps;
        builder.live = live;
        builder.paused = paused;
        return builder;
    }

    public String name() {
        return name;
    }

    public String version() {
        return version;
    }

    /** What the version promises: see {@code Signature}. */
    public String signature() {
        return signature;
    }

    public Workflow.Lifecycle lifecycle() {
        return lifecycle;
    }

    public List<String> steps() {
        return steps;
    }

    /** Whether a live node has it. */
    public boolean live() {
        return live;
    }

    /** Whether the workflow is paused. */
    public boolean paused() {
        return paused;
    }

    public Instant firstSeen() {
        return firstSeen;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DefinitionInfo that
                && name.equals(that.name)
                && version.equals(that.version)
                && signature.equals(that.signature)
                && lifecycle.equals(that.lifecycle)
                && steps.equals(that.steps)
                && live == that.live
                && paused == that.paused
                && firstSeen.equals(that.firstSeen);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, version, signature, lifecycle, steps, live, paused, firstSeen);
    }

    @Override
    public String toString() {
        return "DefinitionInfo[name=" + name + ", version=" + version + ", signature=" + signature + ", lifecycle="
                + lifecycle + ", steps=" + steps + ", live=" + live + ", paused=" + paused + ", firstSeen=" + firstSeen
                + "]";
    }

    /** Builds one; what is not set is empty. */
    public static final class Builder {
        private final String name;
        private final String version;
        private final String signature;
        private final Workflow.Lifecycle lifecycle;
        private final Instant firstSeen;
        private List<String> steps = List.of();
        private boolean live;
        private boolean paused;

        private Builder(
                String name, String version, String signature, Workflow.Lifecycle lifecycle, Instant firstSeen) {
            this.name = name;
            this.version = version;
            this.signature = signature;
            this.lifecycle = lifecycle;
            this.firstSeen = firstSeen;
        }

        public Builder steps(List<String> value) {
            steps = value;
            return this;
        }

        public Builder live(boolean value) {
            live = value;
            return this;
        }

        public Builder paused(boolean value) {
            paused = value;
            return this;
        }

        public DefinitionInfo build() {
            return new DefinitionInfo(name, version, signature, lifecycle, steps, live, paused, firstSeen);
        }
    }
}
