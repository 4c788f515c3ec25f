package dev.muster.gateway.internal.auth;

import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.InvalidKeyRequest;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.JwtConfig;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.NamePatterns;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the claims of a token with a valid signature have to be, and which caller they make. */
final class TokenClaims {
    /** How far the issuer's clock may be ahead of the database's. For {@code exp} nothing is added. */
    static final Duration LEEWAY = Duration.ofSeconds(30);

    private static final int LONGEST_SUBJECT = 255;
    private static final BigDecimal LAST_SECOND =
            BigDecimal.valueOf(Instant.parse("9999-12-31T23:59:59Z").getEpochSecond());

    private final String issuer;
    private final JwtConfig config;

    /** @param config with an issuer */
    TokenClaims(JwtConfig config) {
        this.issuer = config.issuer().orElseThrow();
        this.config = config;
    }

    /**
     * A caller, and until when it may call.
     *
     * @param caller without an address
     * @param from the moment from which on the token is valid
     * @param until the moment from which on it is not
     */
    record Accepted(Caller caller, Instant from, Instant until) {
        Caller callerAt(String address) {
            return caller.at(address);
        }

        void requireValidAt(Instant now) throws TokenRefused {
            if (!now.isBefore(until)) {
                throw new TokenRefused("it has expired (exp)");
            }
            if (now.plus(LEEWAY).isBefore(from)) {
                throw new TokenRefused("it is not valid yet (nbf, iat)");
            }
        }
    }

    /** Checks everything but the time. */
    Accepted read(Map<String, ? extends @Nullable Object> claims) throws TokenRefused {
        if (!issuer.equals(claims.get("iss"))) {
            throw new TokenRefused("its issuer (iss) is not jwt.issuer");
        }
        if (!audiences(claims.get("aud")).contains(config.audience())) {
            throw new TokenRefused("its audience (aud) does not contain jwt.audience");
        }
        Instant until = time(claims, "exp").orElseThrow(() -> new TokenRefused("it never expires (exp is missing)"));
        Instant from = latest(time(claims, "nbf"), time(claims, "iat"));
        String subject = subject(claims.get("sub"));
        Scope scope = scope(words(claims, config.scopeClaim()));
        Caller caller = Caller.builder("jwt:" + subject, subject, scope)
                .auth(Auth.TOKEN)
                .roles(Set.copyOf(new LinkedHashSet<>(words(claims, config.rolesClaim()))))
                .names(names(claims))
                .tenant(tenant(claims))
                .build();
        return new Accepted(caller, from, until);
    }

    private static List<?> audiences(@Nullable Object claim) {
        return claim instanceof List<?> list ? list : claim == null ? List.of() : List.of(claim);
    }

    private static Instant latest(Optional<Instant> one, Optional<Instant> other) {
        return Arrays.asList(one, other).stream()
                .flatMap(Optional::stream)
                .max(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
    }

    private static Optional<Instant> time(Map<String, ? extends @Nullable Object> claims, String name)
            throws TokenRefused {
        Object claim = claims.get(name);
        if (claim == null) {
            return Optional.empty();
        }
        if (!(claim instanceof Number number)) {
            throw new TokenRefused("its " + name + " is no number");
        }
        try {
            BigDecimal seconds = new BigDecimal(number.toString());
            if (seconds.signum() < 0 || seconds.compareTo(LAST_SECOND) > 0) {
                throw new TokenRefused("its " + name + " is no time");
            }
            return Optional.of(Instant.ofEpochMilli(seconds.movePointRight(3).longValue()));
        } catch (NumberFormatException e) {
            throw new TokenRefused("its " + name + " is no time");
        }
    }

    private static String subject(@Nullable Object claim) throws TokenRefused {
        if (!(claim instanceof String subject) || subject.isBlank()) {
            throw new TokenRefused("it has no subject (sub)");
        }
        if (subject.length() > LONGEST_SUBJECT || !subject.codePoints().allMatch(TokenClaims::isPrintable)) {
            throw new TokenRefused(
                    "its subject (sub) is longer than " + LONGEST_SUBJECT + " characters, or not printable");
        }
        return subject;
    }

    private static boolean isPrintable(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** The words of a text, or the texts of a list. */
    private static List<String> words(Map<String, ? extends @Nullable Object> claims, String name) throws TokenRefused {
        Object claim = claims.get(name);
        if (claim == null) {
            return List.of();
        }
        if (claim instanceof String text) {
            return Arrays.stream(text.split(" "))
                    .filter(word -> !word.isEmpty())
                    .toList();
        }
        List<String> words = new ArrayList<>();
        for (Object item : claim instanceof List<?> list ? list : List.of(claim)) {
            if (!(item instanceof String word)) {
                throw new TokenRefused("its claim '" + name + "' is neither a text nor a list of texts");
            }
            words.add(word);
        }
        return words;
    }

    private Scope scope(List<String> words) throws TokenRefused {
        return Scope.known().stream()
                .filter(scope -> words.contains(scope.text()))
                .max(Comparator.naturalOrder())
                .orElseThrow(() -> new TokenRefused(
                        "its claim '" + config.scopeClaim() + "' (jwt.scope_claim) has none of read, write and admin"));
    }

    /** A token without the claim may start everything that its scope allows. */
    private NamePatterns names(Map<String, ? extends @Nullable Object> claims) throws TokenRefused {
        if (!claims.containsKey(config.namesClaim())) {
            return NamePatterns.ALL;
        }
        try {
            return NamePatterns.of(words(claims, config.namesClaim()));
        } catch (InvalidName e) {
            throw new TokenRefused(
                    "its claim '" + config.namesClaim() + "' (jwt.names_claim) is refused: " + e.getMessage());
        }
    }

    /** A token without the claim belongs to no tenant. One whose tenant makes no sense must not be taken for one of those. */
    private Optional<String> tenant(Map<String, ? extends @Nullable Object> claims) throws TokenRefused {
        if (!claims.containsKey(config.tenantClaim())) {
            return Optional.empty();
        }
        if (!(claims.get(config.tenantClaim()) instanceof String tenant)) {
            throw new TokenRefused("its tenant is no text");
        }
        try {
            return KeyRequest.of("token", Scope.READ).tenant(tenant).tenant();
        } catch (InvalidKeyRequest e) {
            throw new TokenRefused(String.valueOf(e.getMessage()));
        }
    }
}
