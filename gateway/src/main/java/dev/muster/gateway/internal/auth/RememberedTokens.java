package dev.muster.gateway.internal.auth;

import dev.muster.gateway.internal.auth.TokenClaims.Accepted;
import dev.muster.runtime.Clock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Tokens whose signature and claims were right a moment ago, by their SHA-256. A verification with an EC key takes milliseconds of a processor,
 * and most callers send the same token with many requests. A token is forgotten when the keys change. Whether it has expired is not
 * remembered. Thread-safe.
 */
final class RememberedTokens {
    static final Duration LIFE = Duration.ofSeconds(5);
    static final int MOST = 10_000;

    private final Clock clock;
    private final Map<String, Remembered> tokens = new LinkedHashMap<>();

    private record Remembered(Accepted accepted, KeySet keys, long at) {}

    RememberedTokens(Clock clock) {
        this.clock = clock;
    }

    /** @param keys those of now */
    Optional<Accepted> find(String token, KeySet keys) {
        String hash = hash(token);
        synchronized (this) {
            Remembered found = tokens.get(hash);
            return found == null || found.keys() != keys || clock.nanos() - found.at() >= LIFE.toNanos()
                    ? Optional.empty()
                    : Optional.of(found.accepted());
        }
    }

    /** @param keys those that verified the token */
    void add(String token, Accepted accepted, KeySet keys) {
        String hash = hash(token);
        synchronized (this) {
            tokens.remove(hash);
            tokens.put(hash, new Remembered(accepted, keys, clock.nanos()));
            if (tokens.size() > MOST) {
                tokens.remove(tokens.keySet().iterator().next());
            }
        }
    }

    synchronized int size() {
        return tokens.size();
    }

    private static String hash(String token) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
