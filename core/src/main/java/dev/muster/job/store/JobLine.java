package dev.muster.job.store;

import dev.muster.job.LineLimit;
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
 * The names of lines. A name says everything about its line that does not change, so that whoever finds a job can create its line:
 *
 * <pre>
 *   name/JOB                    all jobs of a handler
 *   key/JOB/KEY                 jobs of a handler with this concurrency key
 *   order/JOB, order/JOB/KEY    the same, one after the other, in order
 *   fifo/KEY                    jobs of any handler, one after the other, in order
 *   fair/KEY                    jobs of any handler, of which only so many are ready at a time
 * </pre>
 *
 * Names of jobs contain no slash; keys may. A key is in the form in which {@link TenantKey} stores it, so each tenant has lines of its own. The
 * line {@code name/JOB} is what a handler limits for all of its jobs together: the jobs of all tenants share it on purpose.
 */
public final class JobLine {
    private static final int MAX_KEY = 255;

    private JobLine() {}

    /** The line of all jobs of a tenant that stand in no other one, of which only so many are ready at a time. */
    public static String fairTo(String tenant) {
        return "fair/" + TenantKey.stored(Optional.of(tenant), "");
    }

    /** The line of a key that a request names for jobs of any handler, which run in the order in which they were enqueued. */
    public static String fifo(String key) {
        return "fifo/" + key;
    }

    /** The line of a key that a request names, of whose jobs only so many are ready at a time. */
    public static String fair(String key) {
        return "fair/" + key;
    }

    /**
     * The line of a job.
     *
     * @param limit what its handler declares; null if nothing
     * @param key the key that the request names, or that its args have, as {@link TenantKey} stores it; null if there is none
     */
    public static String of(String name, @Nullable LineLimit limit, @Nullable String key) {
        boolean ordered = limit != null && limit.ordered();
        if (key == null) {
            return (ordered ? "order/" : "name/") + name;
        }
        return (ordered ? "order/" : "key/") + name + "/" + key;
    }

    /** The key in the name of a line of this job; null if it has none. */
    public static @Nullable String keyIn(@Nullable String line, String name) {
        for (String kind : List.of("key/", "order/")) {
            if (line != null && line.startsWith(kind + name + "/")) {
                return line.substring(kind.length() + name.length() + 1);
            }
        }
        return null;
    }

    /** Whether a job that stands in this line is limited as its handler declares. */
    public static boolean suits(@Nullable String line, String name, LineLimit limit) {
        if (line == null) {
            return false;
        }
        return limit.ordered()
                ? line.equals("order/" + name) || line.startsWith("order/" + name + "/")
                : line.equals("name/" + name) || line.startsWith("key/" + name + "/");
    }

    /** Whether a job of this line takes up a place that is limited in number while its handler runs. */
    public static boolean limitsRunning(@Nullable String line) {
        return line != null && !line.startsWith("fair/");
    }

    /**
     * The key that the args have at the path that the limit names, as {@link TenantKey} stores it. Null if the limit names none. Jobs whose
     * args have nothing there share one line, those of each tenant one of their own. If args are encrypted, a hash takes the place of the value.
     *
     * @param args in plain text
     * @param sealed whether they are stored encrypted
     */
    public static @Nullable String keyOf(
            LineLimit limit, Optional<String> tenant, String args, boolean sealed, JsonCodec json) {
        if (limit.concurrencyKey().isEmpty()) {
            return null;
        }
        String key = valueOf(limit, args, sealed, json);
        if (key == null) {
            return tenant.isPresent() ? TenantKey.stored(tenant, "") : null;
        }
        return TenantKey.stored(tenant, key);
    }

    private static @Nullable String valueOf(LineLimit limit, String args, boolean sealed, JsonCodec json) {
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
