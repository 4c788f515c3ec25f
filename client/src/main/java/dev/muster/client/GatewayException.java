package dev.muster.client;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A gateway refused a request, or failed to execute it. */
public final class GatewayException extends MusterException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final @Nullable String details;
    private final @Nullable Duration retryAfter;
    private final @Nullable String requestId;
    private final boolean unchanged;

    GatewayException(int status, String code, String message) {
        this(status, code, message, null, null, null, false);
    }

    GatewayException(
            int status,
            String code,
            String message,
            @Nullable String details,
            @Nullable Duration retryAfter,
            @Nullable String requestId,
            boolean unchanged) {
        super(message);
        this.status = status;
        this.code = code;
        this.details = details;
        this.retryAfter = retryAfter;
        this.requestId = requestId;
        this.unchanged = unchanged;
    }

    /** The status of the answer, such as 404. */
    public int status() {
        return status;
    }

    /** One word for programs, such as {@code not_found}. */
    public String code() {
        return code;
    }

    /** More about the error, as JSON. */
    public Optional<String> details() {
        return Optional.ofNullable(details);
    }

    /** After how long the same request may succeed. */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(retryAfter);
    }

    /** By which the log of the node names the request. */
    public Optional<String> requestId() {
        return Optional.ofNullable(requestId);
    }

    boolean isNotFound() {
        return status == 404 && code.equals("not_found");
    }

    /** Whether nothing was changed because the thing is not in a state in which that can be done. */
    boolean isUnchanged() {
        return unchanged;
    }

    static boolean saysUnchanged(@Nullable Object details) {
        return details instanceof Map<?, ?> members && Boolean.FALSE.equals(members.get("changed"));
    }
}
