package dev.muster.gateway;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The id of a request: the caller's own if it is well-formed, or else a new one. */
final class RequestId {
    static final String HEADER = "X-Request-Id";

    /** The key in the MDC of log lines. */
    static final String LOG_KEY = "request_id";

    private static final Pattern GIVEN = Pattern.compile("[A-Za-z0-9._:-]{1,100}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private RequestId() {}

    static String of(@Nullable String given) {
        if (given != null && GIVEN.matcher(given).matches()) {
            return given;
        }
        byte[] bytes = new byte[12];
        RANDOM.nextBytes(bytes);
        return "req_" + HexFormat.of().formatHex(bytes);
    }
}
