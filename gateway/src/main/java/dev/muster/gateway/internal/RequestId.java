package dev.muster.gateway.internal;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The id of a request: the caller's own if it is well-formed, or else a new one. It is no secret, and nobody waits for it: a secure random generator
 * gives numbers to one thread at a time, and on a busy machine all threads of the gateway queue up for it.
 */
final class RequestId {
    static final String HEADER = "X-Request-Id";

    /** The key in the MDC of log lines. */
    static final String LOG_KEY = "request_id";

    private static final Pattern GIVEN = Pattern.compile("[A-Za-z0-9._:-]{1,100}");

    private RequestId() {}

    static String of(@Nullable String given) {
        if (given != null && GIVEN.matcher(given).matches()) {
            return given;
        }
        byte[] bytes = new byte[12];
        ThreadLocalRandom.current().nextBytes(bytes);
        return "req_" + HexFormat.of().formatHex(bytes);
    }
}
