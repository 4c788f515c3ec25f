package dev.muster.internal.job.engine;

import dev.muster.internal.config.Nearest;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.ConcurrencyGroup;
import dev.muster.internal.job.store.DriverJobs;
import dev.muster.internal.job.store.HandlerDirectory;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJob.Timing;
import dev.muster.internal.job.store.TenantKey;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.HandlerInfo;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobNotAllowed;
import dev.muster.job.JobOptions;
import dev.muster.job.JobRequest;
import dev.muster.job.RawJson;
import dev.muster.job.Requester;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import java.lang.reflect.Type;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns requests into jobs for the store, or refuses them with the reason. */
public final class RequestChecker {
    private static final int MAX_METADATA_BYTES = StorableJson.MAX_BYTES / 16;

    private static final long DIRECTORY_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Before a caller is refused, what is known of the handlers must be no older. One that is refused all the time leads to no more readings. */
    private static final long AGE_OF_REFUSALS_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How many names a refusal lists. */
    private static final int MOST_NAMES = 20;

    private final JsonCodec json;
    private final Payloads payloads;
    private final JobRegistry registry;
    private final HandlerDirectory directory;
    private final TenantOptions tenantOptions;
    private final Clock clock;
    private final boolean fairToTenants;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile @Nullable Snapshot snapshot;

    private record Snapshot(Map<String, HandlerInfo> handlers, Map<String, ConcurrencyLimit> limits, long readAt) {}

    /** @param fairToTenants whether jobs that callers of a tenant ask for belong to a group of their tenant, if they belong to no other */
    public RequestChecker(
            JsonCodec json,
            Payloads payloads,
            JobRegistry registry,
            HandlerDirectory directory,
            TenantOptions tenantOptions,
            Clock clock,
            boolean fairToTenants) {
        this.json = json;
        this.payloads = payloads;
        this.registry = registry;
        this.directory = directory;
        this.tenantOptions = tenantOptions;
        this.clock = clock;
        this.fairToTenants = fairToTenants;
    }

    /**
     * Refuses a request of somebody who may not ask for it. This comes before the interceptors: what they change is the application's own doing.
     *
     * @throws JobNotAllowed in the same words whether or not there is a handler that the caller may not use
     */
    void requireAllowed(JobRequest request, @Nullable Connection connection) {
        Requester requester = request.requester().orElse(null);
        if (requester == null) {
            return;
        }
        if (requester.tenant().isPresent()) {
            tenantOptions.check(request, requireOpen(request.name(), requester, connection));
        } else if (!requester.names().allows(request.name())) {
            throw new JobNotAllowed(
                    "job '" + request.name() + "' is not among what you may start: " + requester.names());
        }
    }

    /** The options of a handler that is open to a tenant's caller. */
    private JobOptions requireOpen(String name, Requester requester, @Nullable Connection connection) {
        Map<String, HandlerInfo> published = read(connection, DIRECTORY_AGE_NANOS);
        if (!isOpen(name, requester, published)) {
            published = read(connection, AGE_OF_REFUSALS_NANOS);
        }
        if (!isOpen(name, requester, published)) {
            throw notOpen(name, requester, published);
        }
        Optional<JobHandler> local = registry.find(name);
        return local.isPresent() ? local.get().options() : published.get(name).options();
    }

    /** Whether every node that is known to have the handler opens it to tenants, and there is one. */
    private boolean isOpen(String name, Requester requester, Map<String, HandlerInfo> published) {
        Optional<JobHandler> local = registry.find(name);
        HandlerInfo elsewhere = published.get(name);
        return requester.names().allows(name)
                && (local.isPresent() || elsewhere != null)
                && local.map(JobHandler::tenants).orElse(true)
                && (elsewhere == null || elsewhere.tenants());
    }

    private JobNotAllowed notOpen(String name, Requester requester, Map<String, HandlerInfo> published) {
        TreeSet<String> open = names(published);
        open.removeIf(other -> !isOpen(other, requester, published));
        return new JobNotAllowed(
                "job '" + name + "' is not open to you; you may start " + (open.isEmpty() ? "no jobs" : first(open)));
    }

    /** The names of jobs that this node or another one has handlers for. */
    private TreeSet<String> names(Map<String, HandlerInfo> published) {
        TreeSet<String> names = new TreeSet<>(registry.names());
        names.addAll(published.keySet());
        names.removeIf(DriverJobs::isDriver);
        return names;
    }

    private static String first(Collection<String> names) {
        String listed = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
        return names.size() > MOST_NAMES ? listed + " and " + (names.size() - MOST_NAMES) + " more" : listed;
    }

    /** @param complete whether the request has all its args; otherwise they are not compared with the handler's type */
    NewJob check(JobRequest request, boolean complete, @Nullable Connection connection) {
        DriverJobs.refuseName(request.name());
        Optional<JobHandler> local = registry.find(request.name());
        JobOptions handler = local.map(JobHandler::options)
                .or(() -> remote(request, connection))
                .orElse(JobOptions.NONE);
        StorableJson checked =
                argsOf(request, local.map(JobHandler::argsType).orElse(null), complete && local.isPresent());
        String args = checked.text();
        JobId id = request.id().orElseGet(JobId::next);
        Optional<String> tenant = TenantKey.tenantOf(request);
        String key = request.key().map(own -> TenantKey.stored(tenant, own)).orElse(null);
        String stored = payloads.seal(id, Payloads.Kind.ARGS, checked);
        return new NewJob(
                id,
                request.id().isPresent(),
                request.name(),
                request.options().orElse(handler).orElse(JobOptions.DEFAULTS),
                new Timing(
                        request.delay().orElse(null),
                        request.at().orElse(null),
                        request.expiresIn().orElse(null),
                        request.expiresAt().orElse(null)),
                stored,
                request.metadata().isEmpty() ? null : metadataOf(request),
                List.copyOf(request.tags()),
                key,
                key == null ? null : payloads.fingerprint(request.name(), key, args),
                List.copyOf(request.dependsOn()),
                request.dependsOnAnyOutcome().stream()
                        .filter(parent -> !request.dependsOn().contains(parent))
                        .toList(),
                request.batch().orElse(null),
                groupOf(request, tenant, limit(request, local, connection), args, stored),
                request.trace().orElse(null),
                request.metadata().containsKey(Requester.TENANT)
                                && request.capability().isPresent()
                        ? tenant.orElse(null)
                        : null);
    }

    /** What the handler declares, as far as this process knows. The node that claims the job knows. */
    private @Nullable ConcurrencyLimit limit(
            JobRequest request, Optional<JobHandler> local, @Nullable Connection connection) {
        return local.isPresent()
                ? local.get().concurrencyLimit()
                : limits(connection).get(request.name());
    }

    /** The group that the job belongs to; null if it belongs to none. */
    private @Nullable String groupOf(
            JobRequest request, Optional<String> tenant, @Nullable ConcurrencyLimit limit, String args, String stored) {
        boolean askedByTenant = request.metadata().containsKey(Requester.TENANT);
        if (askedByTenant) {
            refuseToEvade(request, limit);
        }
        if (request.fifo().isPresent() || request.fairKey().isPresent()) {
            if (limit != null) {
                throw new InvalidJob(
                        "job '" + request.name() + "' has a limit of its own, so a request of it can have a"
                                + " concurrencyKey, but neither fifo nor fairKey");
            }
            return request.fifo().isPresent()
                    ? ConcurrencyGroup.fifo(
                            TenantKey.stored(tenant, request.fifo().get()))
                    : ConcurrencyGroup.fair(
                            TenantKey.stored(tenant, request.fairKey().orElseThrow()));
        }
        if (request.concurrencyKey().isPresent()) {
            return ConcurrencyGroup.of(
                    request.name(),
                    limit,
                    TenantKey.stored(tenant, request.concurrencyKey().get()));
        }
        if (limit != null) {
            return ConcurrencyGroup.of(
                    request.name(), limit, ConcurrencyGroup.keyOf(limit, tenant, args, !stored.equals(args), json));
        }
        return askedByTenant && fairToTenants && tenant.isPresent() ? ConcurrencyGroup.fairTo(tenant.get()) : null;
    }

    /** With a new key for each of its jobs, a tenant would have no limit, or as many turns as it has keys. */
    private void refuseToEvade(JobRequest request, @Nullable ConcurrencyLimit limit) {
        if (fairToTenants
                && limit == null
                && (request.fifo().isPresent() || request.fairKey().isPresent())) {
            throw new InvalidJob(
                    "job '" + request.name() + "' is asked for by a caller of a tenant, so it can have neither"
                            + " fifo nor fairKey: the jobs of a tenant take turns with those of others as one"
                            + " (tenants.fairness)");
        }
        if (request.concurrencyKey().isPresent()
                && limit != null
                && limit.concurrencyKey().isEmpty()) {
            throw new InvalidJob("job '" + request.name() + "' is asked for by a caller of a tenant, so it can have no"
                    + " concurrencyKey: its handler limits all of its jobs together");
        }
    }

    private Optional<JobOptions> remote(JobRequest request, @Nullable Connection connection) {
        Optional<HandlerInfo> found =
                Optional.ofNullable(read(connection, DIRECTORY_AGE_NANOS).get(request.name()));
        if (found.isEmpty() && !registry.isEmpty() && !request.declared()) {
            Map<String, HandlerInfo> fresh = readNow(connection);
            if (!fresh.containsKey(request.name())) {
                throw unknownName(request, fresh);
            }
            return Optional.of(fresh.get(request.name()).options());
        }
        return found.map(HandlerInfo::options);
    }

    /**
     * The handlers that nodes have published. When they are too old, one caller at a time reads them again, and the others use
     * what there is. No caller waits for another one's reading while it holds a connection that the other may be waiting for.
     *
     * @param maxAge how old they may be, in nanoseconds
     */
    private Map<String, HandlerInfo> read(@Nullable Connection connection, long maxAge) {
        Snapshot last = snapshot;
        if (last != null && clock.nanos() - last.readAt() <= maxAge) {
            return last.handlers();
        }
        if (last == null && connection == null) {
            reading.lock();
        } else if (!reading.tryLock()) {
            return last == null ? readNow(connection) : last.handlers();
        }
        try {
            Snapshot meanwhile = snapshot;
            return meanwhile != last && meanwhile != null ? meanwhile.handlers() : readNow(connection);
        } finally {
            reading.unlock();
        }
    }

    private Map<String, HandlerInfo> readNow(@Nullable Connection connection) {
        long now = clock.nanos();
        Map<String, HandlerInfo> handlers = directory.published(connection);
        snapshot = new Snapshot(handlers, directory.concurrencyLimits(connection), now);
        return handlers;
    }

    private Map<String, ConcurrencyLimit> limits(@Nullable Connection connection) {
        read(connection, DIRECTORY_AGE_NANOS);
        Snapshot last = snapshot;
        return last == null ? Map.of() : last.limits();
    }

    private InvalidJob unknownName(JobRequest request, Map<String, HandlerInfo> published) {
        String name = request.name();
        TreeSet<String> names = names(published);
        request.requester()
                .ifPresent(
                        requester -> names.removeIf(other -> !requester.names().allows(other)));
        String suggestion = Nearest.suggestion(name, names);
        return new InvalidJob("no node has a handler for job '" + name + "'"
                + (suggestion.isEmpty() ? "; there are " : suggestion + " There are ")
                + (names.isEmpty() ? "no handlers at all" : "handlers for " + first(names))
                + ". To enqueue for a service that is not up yet, use a JobType, or \"declared\": true over HTTP");
    }

    private StorableJson argsOf(JobRequest request, @Nullable Type type, boolean checkType) {
        Object args = request.args().orElse(null);
        String text;
        try {
            text = args == null ? "null" : args instanceof RawJson raw ? raw.text() : json.write(args);
            if (args instanceof RawJson) {
                json.check(text, Object.class);
            }
        } catch (JsonException e) {
            throw new InvalidJob("args of job '" + request.name() + "' are not valid JSON: " + e.getMessage(), e);
        }
        StorableJson checked = storable(request, text);
        boolean sameClass = args != null && type instanceof Class<?> declared && declared == args.getClass();
        if (checkType && !sameClass) {
            checkFits(request, text, type);
        }
        return checked;
    }

    private static StorableJson storable(JobRequest request, String text) {
        StorableJson storable;
        try {
            storable = StorableJson.of(text);
        } catch (JsonException e) {
            throw new InvalidJob("args of job '" + request.name() + "': " + e.getMessage(), e);
        }
        if (storable.isTooLarge()) {
            throw new InvalidJob("args of job '" + request.name() + "' have " + storable.bytes() + " bytes; at most "
                    + StorableJson.MAX_BYTES + " are allowed. Store large data elsewhere and pass a reference");
        }
        return storable;
    }

    private void checkFits(JobRequest request, String text, @Nullable Type type) {
        if (type == RawJson.class) {
            return;
        }
        if (type == null) {
            if (!text.equals("null") && !text.replaceAll("\\s", "").equals("{}")) {
                throw new InvalidJob("job '" + request.name() + "' takes no args, but was given some");
            }
            return;
        }
        if (text.equals("null")) {
            throw new InvalidJob(
                    "job '" + request.name() + "' needs args of type " + simpleName(type) + ", but was given none");
        }
        try {
            json.check(text, type);
        } catch (JsonException e) {
            throw new InvalidJob(
                    "args of job '" + request.name() + "' do not fit " + simpleName(type) + ": " + e.getMessage(), e);
        }
    }

    private static String simpleName(Type type) {
        return type instanceof Class<?> c ? c.getSimpleName() : type.getTypeName();
    }

    private String metadataOf(JobRequest request) {
        StorableJson metadata;
        try {
            metadata = StorableJson.of(json.write(request.metadata()));
        } catch (JsonException e) {
            throw new InvalidJob("metadata of job '" + request.name() + "': " + e.getMessage(), e);
        }
        if (metadata.bytes() > MAX_METADATA_BYTES) {
            throw new InvalidJob("metadata of job '" + request.name() + "' has " + metadata.bytes() + " bytes; at most "
                    + MAX_METADATA_BYTES + " are allowed");
        }
        return metadata.text();
    }
}
