package dev.muster.workflow;

import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.StorableText;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A run to be started. Immutable: each method returns a changed copy. */
public final class RunRequest {
    private static final int MAX_KEY_LENGTH = 255;
    private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

    private final String workflow;
    private final @Nullable String version;
    private final @Nullable Object input;
    private final @Nullable String key;
    private final @Nullable Duration delay;
    private final @Nullable Priority priority;
    private final @Nullable JobId id;

    private RunRequest(
            String workflow,
            @Nullable String version,
            @Nullable Object input,
            @Nullable String key,
            @Nullable Duration delay,
            @Nullable Priority priority,
            @Nullable JobId id) {
        this.workflow = Names.require("workflow name", workflow);
        if (version != null) {
            Names.requireVersion("workflow version", version);
        }
        if (key != null && (key.isEmpty() || key.length() > MAX_KEY_LENGTH || !StorableText.isStorable(key))) {
            throw new MusterException("a run's key must have 1 to " + MAX_KEY_LENGTH
                    + " characters, none of them NUL or half a surrogate pair");
        }
        if (delay != null && (delay.isNegative() || delay.compareTo(LONGEST_DELAY) > 0)) {
            throw new MusterException("a run's delay must not be negative, and be at most 100 years: " + delay);
        }
        this.version = version;
        this.input = input;
        this.key = key;
        this.delay = delay;
        this.priority = priority;
        this.id = id;
    }

    public static RunRequest of(String workflow, @Nullable Object input) {
        return new RunRequest(workflow, null, input, null, null, null, null);
    }

    public static <I> RunRequest of(WorkflowType<I, ?> type, @Nullable I input) {
        return of(type.name(), input);
    }

    public RunRequest version(String wanted) {
        return new RunRequest(workflow, wanted, input, key, delay, priority, id);
    }

    /**
     * A second request with the same workflow, key and input finds the first run; one with another input is refused with a {@link
     * dev.muster.job.KeyConflict}.
     */
    public RunRequest key(String wanted) {
        return new RunRequest(workflow, version, input, wanted, delay, priority, id);
    }

    /** Lets the run begin this long after its start, by the database's clock; at most 100 years. */
    public RunRequest delay(Duration wanted) {
        return new RunRequest(workflow, version, input, key, wanted, priority, id);
    }

    public RunRequest priority(Priority wanted) {
        return new RunRequest(workflow, version, input, key, delay, wanted, id);
    }

    /**
     * Chooses the id, so that a request that is sent again starts no second run. The id of a job, or of a run of another workflow, is refused when
     * the run is started.
     */
    public RunRequest id(JobId wanted) {
        return new RunRequest(workflow, version, input, key, delay, priority, wanted);
    }

    public String workflow() {
        return workflow;
    }

    /** The newest active one that a live node serves, if null. */
    public @Nullable String version() {
        return version;
    }

    /** Any value the {@code JsonCodec} can write, or {@link dev.muster.job.RawJson}. */
    public @Nullable Object input() {
        return input;
    }

    public @Nullable String key() {
        return key;
    }

    public @Nullable Duration delay() {
        return delay;
    }

    /** The workflow's, if null. */
    public @Nullable Priority priority() {
        return priority;
    }

    /** The run's id; null for a new one. */
    public @Nullable JobId id() {
        return id;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RunRequest that
                && workflow.equals(that.workflow)
                && Objects.equals(version, that.version)
                && Objects.equals(input, that.input)
                && Objects.equals(key, that.key)
                && Objects.equals(delay, that.delay)
                && Objects.equals(priority, that.priority)
                && Objects.equals(id, that.id);
    }

    @Override
    public int hashCode() {
        return Objects.hash(workflow, version, input, key, delay, priority, id);
    }

    @Override
    public String toString() {
        return "RunRequest[workflow=" + workflow + ", version=" + version + ", input=" + input + ", key=" + key
                + ", delay=" + delay + ", priority=" + priority + ", id=" + id + "]";
    }
}
