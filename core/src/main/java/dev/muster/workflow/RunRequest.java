package dev.muster.workflow;

import dev.muster.job.JobId;
import dev.muster.job.Priority;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.Names;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A run to be started. Immutable: each method returns a changed copy.
 *
 * @param input any value the {@code JsonCodec} can write, or {@link dev.muster.job.RawJson}
 * @param version the newest active one that a live node serves, if null
 * @param key a second request with the same workflow and key finds the first run
 * @param priority the workflow's, if null
 * @param id the run's id; null for a new one
 */
public record RunRequest(
        String workflow,
        @Nullable String version,
        @Nullable Object input,
        @Nullable String key,
        @Nullable Duration delay,
        @Nullable Priority priority,
        @Nullable JobId id) {
    private static final int MAX_KEY_LENGTH = 255;

    public RunRequest {
        Names.require("workflow name", workflow);
        if (version != null) {
            Names.requireVersion("workflow version", version);
        }
        if (key != null && (key.isEmpty() || key.length() > MAX_KEY_LENGTH || key.indexOf('\0') >= 0)) {
            throw new MusterException("a run's key must have 1 to " + MAX_KEY_LENGTH + " characters and no NUL");
        }
        if (delay != null && delay.isNegative()) {
            throw new MusterException("a run's delay must not be negative: " + delay);
        }
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

    public RunRequest key(String wanted) {
        return new RunRequest(workflow, version, input, wanted, delay, priority, id);
    }

    public RunRequest delay(Duration wanted) {
        return new RunRequest(workflow, version, input, key, wanted, priority, id);
    }

    public RunRequest priority(Priority wanted) {
        return new RunRequest(workflow, version, input, key, delay, wanted, id);
    }

    /** Chooses the id, so that a request that is sent again starts no second run. */
    public RunRequest id(JobId wanted) {
        return new RunRequest(workflow, version, input, key, delay, priority, wanted);
    }
}
