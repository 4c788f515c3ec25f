package dev.muster.job;

import dev.muster.internal.job.DueTime;
import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.Shown;
import dev.muster.internal.runtime.StorableText;
import dev.muster.internal.runtime.Traceparent;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job to be enqueued. Immutable: each method returns a changed copy. Options that are not set come from the handler's {@link
 * Job} annotation: from the enqueuing process if it has the handler, otherwise from what live nodes have published. If no node
 * has the handler, the defaults of the annotation apply.
 */
public final class JobRequest {
    private static final int MAX_KEY_LENGTH = 255;
    private static final int MAX_TAGS = 50;
    private static final int MAX_PARENTS = 10_000;

    /** Metadata whose name begins like this is Muster's own. */
    private static final String ENGINE = "muster.";

    private final String name;
    private final @Nullable Object args;
    private final boolean declared;
    private @Nullable JobId id;
    private JobOptions options = JobOptions.NONE;
    private @Nullable Duration delay;
    private @Nullable Instant at;
    private @Nullable String key;
    private @Nullable Instant expiresAt;
    private @Nullable Duration expiresIn;
    private Map<String, String> metadata = Map.of();
    private Set<String> tags = Set.of();
    private Set<JobId> dependsOn = Set.of();
    private Set<JobId> dependsOnAnyOutcome = Set.of();
    private @Nullable BatchId batch;
    private @Nullable String concurrencyKey;
    private @Nullable String fairKey;
    private @Nullable String fifo;
    private @Nullable String trace;
    private @Nullable Requester requester;

    private JobRequest(String name, @Nullable Object args, boolean declared) {
        this.name = Names.require("job name", name);
        this.args = args;
        this.declared = declared;
    }

    private JobRequest copy() {
        JobRequest copy = new JobRequest(name, args, declared);
        copy.id = id;
        copy.options = options;
        copy.delay = delay;
        copy.at = at;
        copy.key = key;
        copy.expiresAt = expiresAt;
        copy.expiresIn = expiresIn;
        copy.metadata = metadata;
        copy.tags = tags;
        copy.dependsOn = dependsOn;
        copy.dependsOnAnyOutcome = dependsOnAnyOutcome;
        copy.batch = batch;
        copy.concurrencyKey = concurrencyKey;
        copy.fairKey = fairKey;
        copy.fifo = fifo;
        copy.trace = trace;
        copy.requester = requester;
        return copy;
    }

    public static JobRequest of(String name) {
        return new JobRequest(name, null, false);
    }

    /** A request whose arguments are any value the {@code JsonCodec} can write, or {@link RawJson}. */
    public static JobRequest of(String name, @Nullable Object args) {
        return new JobRequest(name, args, false);
    }

    public static <A> JobRequest of(JobType<A, ?> type, A args) {
        return new JobRequest(type.name(), args, true);
    }

    /**
     * Sets the id, so that the same request can be sent again without creating a second job. The id of a job with another name, or of a run of a
     * workflow, is refused when the job is enqueued.
     */
    public JobRequest id(JobId id) {
        JobRequest copy = copy();
        copy.id = id;
        return copy;
    }

    /** Sets each of these options that is not null. */
    public JobRequest options(JobOptions given) {
        JobRequest request = given.queue() == null ? this : queue(given.queue());
        request =
                given.capability() == null ? request : request.withCapability(Placement.canonical(given.capability()));
        request = given.priority() == null ? request : request.priority(given.priority());
        request = given.maxAttempts() == null ? request : request.maxAttempts(given.maxAttempts());
        request = given.maxCrashes() == null ? request : request.maxCrashes(given.maxCrashes());
        return given.timeout() == null ? request : request.timeout(given.timeout());
    }

    public JobRequest queue(String queue) {
        JobRequest copy = copy();
        copy.options = options.queue(Names.require("queue", queue));
        return copy;
    }

    /** Only nodes with this capability may run the job, or only those that fit this text of a {@link Placement}. */
    public JobRequest capability(String capability) {
        return withCapability(capability.isEmpty() ? Names.require("capability", "") : Placement.canonical(capability));
    }

    private JobRequest withCapability(String text) {
        JobRequest copy = copy();
        copy.options = options.capability(text);
        return copy;
    }

    /** Which nodes may run the job. Parts that it leaves empty come from the handler. */
    public JobRequest placement(Placement placement) {
        return withCapability(placement.text());
    }

    /** What this request says about the nodes that may run the job. */
    public Placement placement() {
        return options.capability() == null ? Placement.ANYWHERE : Placement.parse(options.capability());
    }

    /** Only nodes with all of these capabilities, such as {@code gpu}, and labels, such as {@code zone=eu}, may run the job. */
    public JobRequest require(String... terms) {
        return placement(placement().require(terms));
    }

    /** Nodes with any of these capabilities or labels may not run the job. */
    public JobRequest forbid(String... terms) {
        return placement(placement().forbid(terms));
    }

    /** Only these nodes may run the job. */
    public JobRequest onNodes(String... nodes) {
        return placement(placement().onNodes(nodes));
    }

    /** These nodes may not run the job. */
    public JobRequest notOnNodes(String... nodes) {
        return placement(placement().notOnNodes(nodes));
    }

    public JobRequest priority(Priority priority) {
        JobRequest copy = copy();
        copy.options = options.priority(priority);
        return copy;
    }

    /**
     * Makes the job due this long after it is enqueued, by the database's clock.
     *
     * @throws InvalidJob if {@link #at} was called
     */
    public JobRequest delay(Duration delay) {
        refuseBoth("a due time (at)", at, "a delay");
        JobRequest copy = copy();
        copy.delay = DueTime.in(delay, "job '" + name + "'");
        return copy;
    }

    /**
     * Makes the job due at this instant; an instant in the past means now.
     *
     * @throws InvalidJob if {@link #delay} was called
     */
    public JobRequest at(Instant at) {
        refuseBoth("a delay", delay, "a due time (at)");
        JobRequest copy = copy();
        copy.at = DueTime.at(at, "job '" + name + "'");
        return copy;
    }

    /** Refuses a second way to set the same thing: otherwise the order of the calls would decide. */
    private void refuseBoth(String said, @Nullable Object value, String saidNow) {
        if (value != null) {
            throw new InvalidJob("job '" + name + "' has " + said + " of " + value + " and is given " + saidNow
                    + ", too; a request has one of the two");
        }
    }

    /** The idempotency key: a second request with the same job name and key returns the existing job. */
    public JobRequest key(String key) {
        JobRequest copy = copy();
        copy.key = storableKey("key", key);
        return copy;
    }

    public JobRequest maxAttempts(int maxAttempts) {
        if (maxAttempts < 1 || maxAttempts > 1000) {
            throw new InvalidJob("maxAttempts of job '" + name + "' must be 1 to 1000, not " + maxAttempts);
        }
        JobRequest copy = copy();
        copy.options = options.maxAttempts(maxAttempts);
        return copy;
    }

    /** How many crashes of its node make the job a dead letter; with 0 its handler is entered at most once. */
    public JobRequest maxCrashes(int maxCrashes) {
        if (maxCrashes < 0 || maxCrashes > 1000) {
            throw new InvalidJob("maxCrashes of job '" + name + "' must be 0 to 1000, not " + maxCrashes);
        }
        JobRequest copy = copy();
        copy.options = options.maxCrashes(maxCrashes);
        return copy;
    }

    /** How long one attempt may run. */
    public JobRequest timeout(Duration timeout) {
        if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(Duration.ofDays(365)) > 0) {
            throw new InvalidJob("timeout of job '" + name + "' must be 1 ms to 365 days: " + timeout);
        }
        JobRequest copy = copy();
        copy.options = options.timeout(timeout);
        return copy;
    }

    /**
     * Adds a value that is stored with the job, such as a trace id, and that {@link JobInterceptor}s can read.
     *
     * @throws InvalidJob if the name begins with {@code muster.}: such metadata is Muster's own, for example what a batch tells its
     *     completion job
     */
    public JobRequest metadata(String name, String value) {
        return metadata(Map.of(name, value));
    }

    /**
     * Adds all of this metadata.
     *
     * @throws InvalidJob if a name begins with {@code muster.}
     */
    public JobRequest metadata(Map<String, String> more) {
        for (String name : more.keySet()) {
            if (name.startsWith(ENGINE)) {
                throw new InvalidJob("metadata '" + Shown.of(name) + "' of job '" + this.name
                        + "' is not allowed: names that begin with '" + ENGINE + "' are Muster's own");
            }
        }
        return withMetadata(more);
    }

    /**
     * Adds metadata of Muster's own.
     *
     * <p>Internal to Muster; it may change or go at any time.
     *
     * @hidden
     */
    public JobRequest engineMetadata(String name, String value) {
        if (!name.startsWith(ENGINE)) {
            throw new IllegalArgumentException(name);
        }
        return withMetadata(Map.of(name, value));
    }

    private JobRequest withMetadata(Map<String, String> more) {
        JobRequest copy = copy();
        // Callers choose the names: Map.copyOf would compare those with the same hash code each with each.
        Map<String, String> changed = new LinkedHashMap<>(metadata);
        more.forEach((name, value) -> changed.put(Objects.requireNonNull(name), Objects.requireNonNull(value)));
        copy.metadata = Collections.unmodifiableMap(changed);
        return copy;
    }

    /**
     * Gives the job to a tenant, whose callers may see it over HTTP, cancel and retry it: writes the metadata {@code tenant}. Its {@link #key},
     * {@link #fifo}, {@link #fairKey} and {@link #concurrencyKey} are the tenant's own then: the same key of another tenant, or of a job without
     * one, is another key.
     */
    public JobRequest tenant(String tenant) {
        return metadata("tenant", tenant);
    }

    /** Adds tags to find the job by; at most 50, with the same rules as names of jobs and queues. */
    public JobRequest tags(String... tags) {
        Set<String> wanted = new LinkedHashSet<>(this.tags);
        for (String tag : tags) {
            wanted.add(Names.require("tag", tag));
        }
        if (wanted.size() > MAX_TAGS) {
            throw new InvalidJob(
                    "job '" + name + "' has " + wanted.size() + " tags; at most " + MAX_TAGS + " are allowed");
        }
        JobRequest copy = copy();
        copy.tags = Collections.unmodifiableSet(wanted);
        return copy;
    }

    /**
     * Lets the job expire if no node has claimed it by this instant.
     *
     * @throws InvalidJob if {@link #expiresIn} was called
     */
    public JobRequest expiresAt(Instant instant) {
        refuseBoth("an expiry (expiresIn)", expiresIn, "another one (expiresAt)");
        JobRequest copy = copy();
        copy.expiresAt = DueTime.before(instant, "expiry of job '" + name + "'");
        return copy;
    }

    /**
     * Lets the job expire if no node has claimed it this long after it was enqueued, by the database's clock.
     *
     * @throws InvalidJob if {@link #expiresAt} was called
     */
    public JobRequest expiresIn(Duration duration) {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(Duration.ofDays(36_500)) > 0) {
            throw new InvalidJob("expiry of job '" + name + "' must be positive and at most 100 years: " + duration);
        }
        refuseBoth("an expiry (expiresAt)", expiresAt, "another one (expiresIn)");
        JobRequest copy = copy();
        copy.expiresIn = duration;
        return copy;
    }

    /**
     * Lets the job wait until these jobs have completed. If one of them fails, is cancelled or expires, this job is cancelled
     * with the reason. An id without a job is refused.
     */
    public JobRequest dependsOn(JobId... parents) {
        JobRequest copy = copy();
        copy.dependsOn = more(dependsOn, parents);
        return copy;
    }

    /**
     * Lets the job wait until these jobs have ended with any outcome: completed, failed, cancelled or expired. For work that has
     * to be done in any case, such as cleaning up or notifying someone. A job that fails and is retried has not ended. An id
     * without a job is refused. For a job that is also passed to {@link #dependsOn}, that rule applies.
     */
    public JobRequest dependsOnAnyOutcome(JobId... parents) {
        JobRequest copy = copy();
        copy.dependsOnAnyOutcome = more(dependsOnAnyOutcome, parents);
        return copy;
    }

    /** Adds the job to a batch that is not closed; one that is closed, or does not exist, is refused. */
    public JobRequest batch(BatchId batch) {
        JobRequest copy = copy();
        copy.batch = batch;
        return copy;
    }

    /**
     * The key for which the handler's {@code maxConcurrent}, {@code ordered} and {@code rate} hold, instead of the one in the args. If
     * the handler limits nothing, jobs of its name with the same key run one at a time.
     *
     * @throws InvalidJob if {@link #fairKey} or {@link #fifo} was called
     */
    public JobRequest concurrencyKey(String key) {
        refuseTwoGroups("a concurrencyKey", fairKey, fifo);
        JobRequest copy = copy();
        copy.concurrencyKey = storableKey("concurrencyKey", key);
        return copy;
    }

    /**
     * Lets the job take turns with jobs of other keys, a tenant for example. However many jobs have the same key, only 200 of them
     * are ready at a time, so that a job of another key does not wait for all the others. Nothing else is limited.
     *
     * @throws InvalidJob if {@link #concurrencyKey} or {@link #fifo} was called, or the handler has a limit
     */
    public JobRequest fairKey(String key) {
        refuseTwoGroups("a fairKey", concurrencyKey, fifo);
        JobRequest copy = copy();
        copy.fairKey = storableKey("fairKey", key);
        return copy;
    }

    /**
     * Jobs with the same key, of any name, run one after the other, in the order in which they were enqueued. A job that fails keeps its
     * place until it has completed or has become a dead letter.
     *
     * @throws InvalidJob if {@link #concurrencyKey} or {@link #fairKey} was called, or the handler has a limit
     */
    public JobRequest fifo(String key) {
        refuseTwoGroups("a fifo key", concurrencyKey, fairKey);
        JobRequest copy = copy();
        copy.fifo = storableKey("fifo key", key);
        return copy;
    }

    /**
     * The trace that the job belongs to, as a W3C traceparent, such as {@code 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01}: the
     * span that it names becomes the parent of the job's attempts. Without it, the node's {@code Tracing} decides.
     */
    public JobRequest trace(String traceparent) {
        if (!Traceparent.isValid(traceparent)) {
            throw new InvalidJob("the trace of job '" + name + "' must be a W3C traceparent, such as"
                    + " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, not '"
                    + (traceparent.length() > 100 ? traceparent.substring(0, 100) + "…" : traceparent) + "'");
        }
        JobRequest copy = copy();
        copy.trace = traceparent;
        return copy;
    }

    /**
     * Says who asks, which decides whether they may; without this, the application itself asks.
     *
     * <p>Internal to Muster; it may change or go at any time.
     *
     * @hidden
     */
    public JobRequest requestedBy(Requester caller) {
        JobRequest copy = caller.tenant()
                .map(tenant -> engineMetadata(Requester.TENANT, tenant))
                .orElseGet(this::copy);
        copy.requester = caller;
        return copy;
    }

    /**
     * Who asks; empty if the application does.
     *
     * <p>Internal to Muster; it may change or go at any time.
     *
     * @hidden
     */
    public Optional<Requester> requester() {
        return Optional.ofNullable(requester);
    }

    /** Whether it names a key for a group: a {@link #concurrencyKey}, a {@link #fairKey} or a {@link #fifo} key. */
    public boolean namesGroup() {
        return concurrencyKey != null || fairKey != null || fifo != null;
    }

    private void refuseTwoGroups(String what, @Nullable String one, @Nullable String other) {
        if (one != null || other != null) {
            throw new InvalidJob("job '" + name + "' is given " + what
                    + ", but has another key already; a request has at most one of concurrencyKey, fairKey and fifo");
        }
    }

    private String storableKey(String what, String key) {
        if (key.isBlank() || key.length() > MAX_KEY_LENGTH || !StorableText.isStorable(key)) {
            throw new InvalidJob("the " + what + " of job '" + name + "' must have 1 to " + MAX_KEY_LENGTH
                    + " characters, not all blank, none of them NUL or half a surrogate pair");
        }
        return key;
    }

    private Set<JobId> more(Set<JobId> known, JobId... parents) {
        Set<JobId> wanted = new LinkedHashSet<>(known);
        wanted.addAll(List.of(parents));
        if (wanted.size() > MAX_PARENTS) {
            throw new InvalidJob("job '" + name + "' depends on " + wanted.size() + " jobs; at most " + MAX_PARENTS
                    + " are allowed");
        }
        return Collections.unmodifiableSet(wanted);
    }

    public Set<String> tags() {
        return tags;
    }

    public Optional<Instant> expiresAt() {
        return Optional.ofNullable(expiresAt);
    }

    public Optional<Duration> expiresIn() {
        return Optional.ofNullable(expiresIn);
    }

    public Set<JobId> dependsOn() {
        return dependsOn;
    }

    /** Jobs that must have ended first, with any outcome. */
    public Set<JobId> dependsOnAnyOutcome() {
        return dependsOnAnyOutcome;
    }

    public Optional<BatchId> batch() {
        return Optional.ofNullable(batch);
    }

    public Optional<String> concurrencyKey() {
        return Optional.ofNullable(concurrencyKey);
    }

    public Optional<String> fairKey() {
        return Optional.ofNullable(fairKey);
    }

    public Optional<String> fifo() {
        return Optional.ofNullable(fifo);
    }

    public Optional<String> trace() {
        return Optional.ofNullable(trace);
    }

    public String name() {
        return name;
    }

    /** Whether the request was made from a {@link JobType}, so that no node needs to have the handler yet. */
    public boolean declared() {
        return declared;
    }

    public Optional<Object> args() {
        return Optional.ofNullable(args);
    }

    public Optional<JobId> id() {
        return Optional.ofNullable(id);
    }

    /** The options that this request sets. */
    public JobOptions options() {
        return options;
    }

    public Optional<String> queue() {
        return Optional.ofNullable(options.queue());
    }

    public Optional<String> capability() {
        return Optional.ofNullable(options.capability());
    }

    public Optional<Priority> priority() {
        return Optional.ofNullable(options.priority());
    }

    public Optional<Duration> delay() {
        return Optional.ofNullable(delay);
    }

    public Optional<Instant> at() {
        return Optional.ofNullable(at);
    }

    public Optional<String> key() {
        return Optional.ofNullable(key);
    }

    public Optional<Integer> maxAttempts() {
        return Optional.ofNullable(options.maxAttempts());
    }

    public Optional<Integer> maxCrashes() {
        return Optional.ofNullable(options.maxCrashes());
    }

    public Optional<Duration> timeout() {
        return Optional.ofNullable(options.timeout());
    }

    public Map<String, String> metadata() {
        return metadata;
    }

    /** The tenant that the job belongs to: its metadata {@code tenant}. */
    public Optional<String> tenant() {
        return Optional.ofNullable(metadata.get("tenant"));
    }
}
