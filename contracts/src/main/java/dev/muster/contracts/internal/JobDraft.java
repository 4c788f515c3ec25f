package dev.muster.contracts.internal;

import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJob.Timing;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a job for a test, which sets only what matters to it. */
public final class JobDraft {
    private final String name;
    private JobId id = JobId.next();
    private boolean idGiven;
    private Lane lane = new Lane("default", "");
    private Priority priority = Priority.NORMAL;
    private @Nullable Duration delay;
    private String args = "{}";
    private @Nullable String key;
    private @Nullable Integer maxAttempts;
    private @Nullable Integer maxCrashes;
    private @Nullable String metadata;
    private List<String> tags = List.of();
    private @Nullable Instant expiresAt;
    private @Nullable Duration expiresIn;
    private List<JobId> dependsOn = List.of();
    private List<JobId> dependsOnAnyOutcome = List.of();
    private @Nullable BatchId batch;
    private @Nullable String group;
    private @Nullable String trace;
    private @Nullable String tenant;

    private JobDraft(String name) {
        this.name = name;
    }

    public static JobDraft named(String name) {
        return new JobDraft(name);
    }

    /** A job with nothing but a name. */
    public static NewJob plain(String name) {
        return named(name).job();
    }

    /** An id that the caller chooses and may send again. */
    public JobDraft id(JobId id) {
        this.id = id;
        this.idGiven = true;
        return this;
    }

    public JobDraft lane(String queue, String capability) {
        this.lane = new Lane(queue, capability);
        return this;
    }

    public JobDraft priority(Priority priority) {
        this.priority = priority;
        return this;
    }

    public JobDraft delay(Duration delay) {
        this.delay = delay;
        return this;
    }

    public JobDraft args(String args) {
        this.args = args;
        return this;
    }

    public JobDraft key(String key) {
        this.key = key;
        return this;
    }

    public JobDraft maxAttempts(int maxAttempts) {
        this.maxAttempts = maxAttempts;
        return this;
    }

    public JobDraft maxCrashes(int maxCrashes) {
        this.maxCrashes = maxCrashes;
        return this;
    }

    public JobDraft metadata(String json) {
        this.metadata = json;
        return this;
    }

    public JobDraft tags(String... tags) {
        this.tags = List.of(tags);
        return this;
    }

    public JobDraft expiresAt(Instant instant) {
        this.expiresAt = instant;
        return this;
    }

    public JobDraft expiresIn(Duration duration) {
        this.expiresIn = duration;
        return this;
    }

    public JobDraft dependsOn(List<JobId> parents) {
        this.dependsOn = List.copyOf(parents);
        return this;
    }

    public JobDraft dependsOnAnyOutcome(List<JobId> parents) {
        this.dependsOnAnyOutcome = List.copyOf(parents);
        return this;
    }

    public JobDraft batch(BatchId batch) {
        this.batch = batch;
        return this;
    }

    public JobDraft group(String group) {
        this.group = group;
        return this;
    }

    public JobDraft trace(String trace) {
        this.trace = trace;
        return this;
    }

    /** A name without quotation marks. */
    public JobDraft tenant(String tenant) {
        this.tenant = tenant;
        return this;
    }

    public NewJob job() {
        return new NewJob(
                id,
                idGiven,
                name,
                new JobOptions(lane.queue(), lane.capability(), priority, maxAttempts, maxCrashes, null),
                new Timing(delay, null, expiresIn, expiresAt),
                args,
                tenant == null ? metadata : "{\"tenant\": \"" + tenant + "\"}",
                tags,
                key,
                null,
                dependsOn,
                dependsOnAnyOutcome,
                batch,
                group,
                trace,
                tenant);
    }
}
