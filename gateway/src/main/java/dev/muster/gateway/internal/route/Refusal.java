package dev.muster.gateway.internal.route;

import dev.muster.internal.runtime.Shown;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that is refused: its status, and the error that the caller gets. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A message may repeat what the caller has sent, but the answer is not as long as that. */
    private static final int MAX_MESSAGE = 4_000;

    private final int status;
    private final String code;
    private final transient @Nullable Object details;
    private final @Nullable Duration retryAfter;
    private final Map<String, String> headers = new LinkedHashMap<>();

    private Refusal(int status, String code, String message, @Nullable Object details, @Nullable Duration retryAfter) {
        super(Shown.of(message, MAX_MESSAGE), null, false, false);
        this.status = status;
        this.code = code;
        this.details = details;
        this.retryAfter = retryAfter;
    }

    public static Refusal of(int status, String code, String message) {
        return new Refusal(status, code, message, null, null);
    }

    public static Refusal badRequest(String message) {
        return of(400, "invalid_request", message);
    }

    public static Refusal forbidden(String message) {
        return of(403, "forbidden", message);
    }

    public static Refusal notFound(String message) {
        return of(404, "not_found", message);
    }

    public static Refusal conflict(String message) {
        return of(409, "conflict", message);
    }

    /** Nothing was changed, because the thing is not in a state in which this can be done; the details say so to programs. */
    public static Refusal unchanged(String message) {
        return conflict(message).details(Map.of("changed", false));
    }

    /** The gateway cannot serve now; the same request may succeed later, and was not executed. */
    public static Refusal unavailable(String code, String message) {
        return new Refusal(503, code, message, null, Duration.ofSeconds(1));
    }

    public Refusal details(@Nullable Object more) {
        Refusal copy = new Refusal(status, code, message(), more, retryAfter);
        copy.headers.putAll(headers);
        return copy;
    }

    public Refusal retryAfter(Duration wait) {
        Refusal copy = new Refusal(status, code, message(), details, wait);
        copy.headers.putAll(headers);
        return copy;
    }

    /** Adds a header to the answer. */
    public Refusal header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public String message() {
        return String.valueOf(getMessage());
    }

    public @Nullable Object details() {
        return details;
    }

    /** Whole seconds, at least one, after which the caller may try again; null if that would not help. */
    public @Nullable Long retryAfterSeconds() {
        return retryAfter == null
                ? null
                : Math.max(1, retryAfter.plusMillis(999).toSeconds());
    }

    public Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    /** The error in the body of the answer. */
    public Map<String, @Nullable Object> error() {
        Map<String, @Nullable Object> error = new LinkedHashMap<>();
        error.put("code", code);
        error.put("message", message());
        error.put("details", details);
        error.put("retry_after_secs", retryAfterSeconds());
        return error;
    }
}
