package dev.muster.gateway.internal.auth;

import dev.muster.access.Caller;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.runtime.Clock;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Accepts API keys and tokens. */
public final class CredentialsAuthentication implements Authentication {
    private static final String AUTHORIZATION = "Authorization";
    private static final String KEY = "X-API-Key";
    private static final String BEARER = "bearer ";
    private static final String KEY_PREFIX = "mk_";
    private static final int LONGEST = 8_192;

    private final Check keys;
    private final Check tokens;
    private final WrongCredentials wrong;

    /** Checks a key or a token. */
    @FunctionalInterface
    public interface Check {
        /** Who has shown this; empty if it is not valid, or not any more. */
        Optional<Caller> check(String shown, String address);
    }

    /** @param tokens refuses all if the node accepts no tokens */
    public CredentialsAuthentication(Check keys, Check tokens, Clock clock) {
        this.keys = keys;
        this.tokens = tokens;
        this.wrong = new WrongCredentials(clock);
    }

    @Override
    public Caller authenticate(UnaryOperator<@Nullable String> header, String address) {
        String shown = shown(header);
        return wrong.check(address, shown, () -> check(shown, address)).orElseThrow(CredentialsAuthentication::refused);
    }

    @Override
    public Caller authenticateAgain(UnaryOperator<@Nullable String> header, String address) {
        return check(shown(header), address).orElseThrow(CredentialsAuthentication::refused);
    }

    private Optional<Caller> check(String shown, String address) {
        Check check = shown.startsWith(KEY_PREFIX) ? keys : tokens;
        return shown.length() > LONGEST ? Optional.empty() : check.check(shown, address);
    }

    private static Refusal refused() {
        return Authentication.unauthorized("the key or token is wrong, has expired or was revoked");
    }

    /** Whether a request shows something that this would check. */
    public static boolean isShownIn(UnaryOperator<@Nullable String> header) {
        String authorization = header.apply(AUTHORIZATION);
        return isKeyShownIn(header) || (authorization != null && isBearer(authorization));
    }

    /** Whether a request shows an API key in the header that nobody else uses. */
    public static boolean isKeyShownIn(UnaryOperator<@Nullable String> header) {
        String key = header.apply(KEY);
        return key != null && !key.isBlank();
    }

    private static boolean isBearer(String authorization) {
        return authorization.toLowerCase(Locale.ROOT).startsWith(BEARER);
    }

    private static String shown(UnaryOperator<@Nullable String> header) {
        String authorization = header.apply(AUTHORIZATION);
        String key = header.apply(KEY);
        if (authorization != null && isBearer(authorization) && key != null) {
            throw Refusal.badRequest("send either Authorization or X-API-Key, not both");
        }
        if (key != null && !key.isBlank()) {
            return key.strip();
        }
        if (authorization == null || authorization.isBlank()) {
            throw Authentication.unauthorized(
                    "send an API key or a token as 'Authorization: Bearer …', or a key as X-API-Key");
        }
        if (!isBearer(authorization)) {
            throw Authentication.unauthorized("only 'Authorization: Bearer …' is understood");
        }
        return authorization.substring(BEARER.length()).strip();
    }
}
