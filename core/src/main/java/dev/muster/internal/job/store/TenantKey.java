package dev.muster.internal.job.store;

import dev.muster.internal.runtime.StorableText;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.Requester;
import dev.muster.runtime.JsonCodec;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keys in the form in which they are stored. Each tenant has a name space of its own, and jobs that belong to no tenant have one, too:
 *
 * <pre>
 *   &#64;acme/order-17        the key order-17 of the tenant acme; in the name of a tenant, % is %25 and / is %2F
 *   order-17              the key order-17 of a job without a tenant
 *   &#64;/&#64;home               the key &#64;home of a job without a tenant
 * </pre>
 *
 * This holds for idempotency keys and for the keys of {@linkplain ConcurrencyGroup groups}, whoever enqueues the job. A job belongs to the tenant in its
 * metadata. No two keys of different tenants have the same stored form, so nothing has to be compared when a key is taken or a group is
 * joined.
 */
public final class TenantKey {
    /** The metadata that says which tenant a job belongs to. */
    public static final String METADATA = "tenant";

    private static final int MAX_TENANT = 100;
    private static final String SIGN = "@";
    private static final String NO_TENANT = SIGN + "/";

    private TenantKey() {}

    /**
     * The tenant of the job; empty if it belongs to none.
     *
     * @throws InvalidJob if it is no tenant that a caller could belong to
     */
    public static Optional<String> tenantOf(JobRequest request) {
        String tenant = request.metadata().get(METADATA);
        if (tenant == null) {
            return Optional.empty();
        }
        if (tenant.isBlank()
                || !tenant.equals(tenant.strip())
                || tenant.length() > MAX_TENANT
                || !StorableText.isStorable(tenant)) {
            throw new InvalidJob("the tenant of job '" + request.name() + "' (metadata 'tenant') must have 1 to "
                    + MAX_TENANT + " characters, and neither begin nor end with a blank");
        }
        return Optional.of(tenant);
    }

    /** The tenant to whose jobs the query is confined; empty if it is not. */
    public static Optional<String> tenantOf(JobQuery query) {
        return Optional.ofNullable(query.metadata().get(METADATA));
    }

    /**
     * The tenant of a job with this metadata; empty if it belongs to none.
     *
     * @param metadata as it is stored
     */
    public static Optional<String> tenantIn(@Nullable String metadata, JsonCodec json) {
        if (metadata == null || !metadata.contains("\"" + METADATA + "\"")) {
            return Optional.empty();
        }
        Object read = json.read(metadata, Object.class);
        return read instanceof Map<?, ?> values && values.get(METADATA) instanceof String tenant
                ? Optional.of(tenant)
                : Optional.empty();
    }

    /** Whether a caller of a tenant has asked for the job with this metadata. The application is free to give its own jobs to a tenant. */
    public static boolean wasAskedFor(@Nullable String metadata, JsonCodec json) {
        return metadata != null
                && metadata.contains("\"" + Requester.TENANT + "\"")
                && json.read(metadata, Object.class) instanceof Map<?, ?> values
                && values.containsKey(Requester.TENANT);
    }

    /** The stored form of a key. */
    public static String stored(Optional<String> tenant, String key) {
        return tenant.map(TenantKey::prefix).orElse(key.startsWith(SIGN) ? NO_TENANT : "") + key;
    }

    /** The key that the query names, in its stored form. */
    public static Optional<String> stored(JobQuery query) {
        return query.key().map(key -> stored(tenantOf(query), key));
    }

    /** The key as whoever enqueued the job has written it. */
    public static String shown(String stored) {
        return stored.startsWith(SIGN) ? stored.substring(stored.indexOf('/') + 1) : stored;
    }

    private static String prefix(String tenant) {
        return SIGN + tenant.replace("%", "%25").replace("/", "%2F") + "/";
    }
}
