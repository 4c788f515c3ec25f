package dev.muster.internal.job.store;

import dev.muster.job.ConcurrencyLimit;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names of groups. A name says everything about its group that does not change, so that whoever finds a job can create its group:
 *
 * <pre>
 *   name/JOB                    all jobs of a handler
 *   key/JOB/KEY                 jobs of a handler with this concurrency key
 *   order/JOB, order/JOB/KEY    the same, one after the other, in order
 *   fifo/KEY                    jobs of any handler, one after the other, in order
 *   fair/KEY                    jobs of any handler, of which only so many are ready at a time
 * </pre>
 *
 * Names of jobs contain no slash; keys may. A key is in the form in which {@link TenantKey} stores it, so each tenant has groups of its own. The
 * group {@code name/JOB} is what a handler limits for all of its jobs together: the jobs of all tenants share it on purpose.
 */
public final class ConcurrencyGroup {
    private static final int MAX_KEY = 255;

    private ConcurrencyGroup() {}

    /** The group of all jobs of a tenant that belong to no other one, of which only so many are ready at a time. */
    public static String fairTo(String tenant) {
        return "fair/" + TenantKey.stored(Optional.of(tenant), "");
    }

    /** The group of a key that a request names for jobs of any handler, which run in the order in which they were enqueued. */
    public static String fifo(String key) {
        return "fifo/" + key;
    }

    /** The group of a key that a request names, of whose jobs only so many are ready at a time. */
    public static String fair(String key) {
        return "fair/" + key;
    }

    /**
     * The group of a job.
     *
     * @param limit what its handler declares; null if nothing
     * @param key the key that the request names, or that its args have, as {@link TenantKey} stores it; null if there is none
     */
    public static String of(String name, @Nullable ConcurrencyLimit limit, @Nullable String key) {
        boolean ordered = limit != null && limit.ordered();
        if (key == null) {
            return (ordered ? "order/" : "name/") + name;
        }
        return (ordered ? "order/" : "key/") + name + "/" + key;
    }

    /** The key in the name of a group of this job; null if it has none. */
    public static @Nullable String keyIn(@Nullable String group, String name) {
        for (String kind : List.of("key/", "order/")) {
            if (group != null && group.startsWith(kind + name + "/")) {
                return group.substring(kind.length() + name.length() + 1);
            }
        }
        return null;
    }

    /** Whether a job that belongs to this group is limited as its handler declares. */
    public static boolean suits(@Nullable String group, String name, ConcurrencyLimit limit) {
        if (group == null) {
            return false;
        }
        return limit.ordered()
                ? group.equals("order/" + name) || group.startsWith("order/" + name + "/")
                : group.equals("name/" + name) || group.startsWith("key/" + name + "/");
    }

    /** Whether a job of this group takes up a place that is limited in number while its handler runs. */
    public static boolean limitsRunning(@Nullable String group) {
        return group != null && !group.startsWith("fair/");
    }

    /**
     * The key that the args have at the path that the limit names, as {@link TenantKey} stores it. Null if the limit names none. Jobs whose
     * args have nothing there share one group, those of each tenant one of their own. If args are encrypted, a hash takes the place of the value.
     *
     * @param args in plain text
     * @param sealed whether they are stored encrypted
     */
    public static @Nullable String keyOf(
            ConcurrencyLimit limit, Optional<String> tenant, String args, boolean sealed, JsonCodec json) {
        if (limit.concurrencyKey().isEmpty()) {
            return null;
        }
        String key = valueOf(limit, args, sealed, json);
        if (key == null) {
            return tenant.isPresent() ? TenantKey.stored(tenant, "") : null;
        }
        return TenantKey.stored(tenant, key);
    }

    private static @Nullable String valueOf(ConcurrencyLimit limit, String args, boolean sealed, JsonCodec json) {
        Object value;
        try {
            value = json.read(args, Object.class);
        } catch (JsonException e) {
            return null;
        }
        for (String field : limit.concurrencyKey().split("\\.")) {
            value = value instanceof Map<?, ?> object ? object.get(field) : null;
        }
        if (value == null) {
            return null;
        }
        String text = value instanceof String string ? string : json.write(value);
        return sealed || text.length() > MAX_KEY || text.indexOf('\0') >= 0 || text.isBlank() ? hash(text) : text;
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
