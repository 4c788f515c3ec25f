package dev.muster.gateway.internal.auth;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import dev.muster.access.Caller;
import dev.muster.config.JwtConfig;
import dev.muster.config.JwtConfig.Algorithm;
import dev.muster.gateway.internal.auth.TokenClaims.Accepted;
import dev.muster.internal.runtime.LogContext;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.net.URI;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts signed tokens (JWT) of one issuer, by the settings {@code [jwt]}.
 *
 * <p>The settings alone say which algorithms are accepted, and the kind of a key says which of them it verifies: nothing in a token can
 * choose. Keys or addresses of keys in a token's header are ignored. Times are compared with the database's clock, so that all gateways
 * agree.
 */
public final class TokenVerifier implements CredentialsAuthentication.Check {
    private static final Logger log = LoggerFactory.getLogger(TokenVerifier.class);
    private static final Set<JOSEObjectType> TYPES =
            Set.of(JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), new JOSEObjectType("application/at+jwt"));

    private final Set<JWSAlgorithm> algorithms;
    private final TokenClaims claims;
    private final TokenKeys keys;
    private final Supplier<Instant> databaseTime;
    private final RememberedTokens tokens;

    TokenVerifier(JwtConfig config, TokenKeys keys, Supplier<Instant> databaseTime, Clock clock) {
        this.algorithms =
                config.algorithms().stream().flatMap(TokenVerifier::names).collect(Collectors.toUnmodifiableSet());
        this.claims = new TokenClaims(config);
        this.keys = keys;
        this.databaseTime = databaseTime;
        this.tokens = new RememberedTokens(clock);
    }

    /**
     * Opens the issuer's keys. A file is read at once; keys at a URL are requested, and it does not wait for them.
     *
     * @param config with an issuer
     * @param clock the node's monotonic clock
     * @throws MusterException if {@code jwt.keys_file} cannot be used
     */
    public static TokenVerifier open(
            JwtConfig config, Supplier<Instant> databaseTime, Clock clock, LogContext logContext) {
        if (config.keysFile().isPresent()) {
            return new TokenVerifier(
                    config, new KeysFile(Path.of(config.keysFile().get()), clock), databaseTime, clock);
        }
        String url = config.jwksUrl()
                .orElseThrow(() -> new MusterException("jwt.issuer needs jwt.jwks_url or jwt.keys_file"));
        PublishedKeys published = new PublishedKeys(URI.create(url), clock, logContext);
        published.start();
        return new TokenVerifier(config, published, databaseTime, clock);
    }

    private static Stream<JWSAlgorithm> names(Algorithm algorithm) {
        return switch (algorithm) {
            case RS256 -> Stream.of(JWSAlgorithm.RS256);
            case RS384 -> Stream.of(JWSAlgorithm.RS384);
            case RS512 -> Stream.of(JWSAlgorithm.RS512);
            case PS256 -> Stream.of(JWSAlgorithm.PS256);
            case PS384 -> Stream.of(JWSAlgorithm.PS384);
            case PS512 -> Stream.of(JWSAlgorithm.PS512);
            case ES256 -> Stream.of(JWSAlgorithm.ES256);
            case ES384 -> Stream.of(JWSAlgorithm.ES384);
            case ES512 -> Stream.of(JWSAlgorithm.ES512);
            // RFC 9864 gave it a second name.
            case EDDSA -> Stream.of(JWSAlgorithm.EdDSA, JWSAlgorithm.Ed25519);
        };
    }

    @Override
    public Optional<Caller> check(String shown, String address) {
        try {
            JWSObject token = parse(shown);
            requireHeader(token.getHeader());
            KeySet known = keys.current();
            Optional<Accepted> remembered = tokens.find(shown, known);
            Accepted accepted = remembered.isPresent() ? remembered.get() : verify(token, shown, known);
            accepted.requireValidAt(databaseTime.get());
            return Optional.of(accepted.callerAt(address));
        } catch (TokenRefused e) {
            log.debug("token refused: {} address={}", e.getMessage(), address);
            return Optional.empty();
        }
    }

    /** Checks the signature and the claims, but not the time. */
    private Accepted verify(JWSObject token, String shown, KeySet known) throws TokenRefused {
        KeySet used = requireSignature(token, known);
        Accepted accepted = claims.read(payload(token));
        tokens.add(shown, accepted, used);
        return accepted;
    }

    private static JWSObject parse(String shown) throws TokenRefused {
        try {
            return JWSObject.parse(shown);
        } catch (ParseException | RuntimeException e) {
            throw new TokenRefused("it is no signed token");
        }
    }

    private void requireHeader(JWSHeader header) throws TokenRefused {
        if (!algorithms.contains(header.getAlgorithm())) {
            throw new TokenRefused("its algorithm is not in jwt.algorithms");
        }
        if (header.getCriticalParams() != null || !header.isBase64URLEncodePayload()) {
            throw new TokenRefused("it has extensions (crit, b64) that are not supported");
        }
        if (header.getType() != null && !TYPES.contains(header.getType())) {
            throw new TokenRefused("its type (typ) is neither JWT nor at+jwt");
        }
    }

    /** @return the keys of which one has signed the token */
    private KeySet requireSignature(JWSObject token, KeySet known) throws TokenRefused {
        List<TokenKey> fitting = known.fitting(token.getHeader());
        if (isVerifiedBy(fitting, token)) {
            return known;
        }
        // A token that names a known key has a wrong signature. Another one may have been signed with a new key.
        if (fitting.isEmpty() || token.getHeader().getKeyID() == null) {
            KeySet newer = keys.newerThan(known);
            if (newer != known && isVerifiedBy(newer.fitting(token.getHeader()), token)) {
                return newer;
            }
        }
        throw new TokenRefused("no known key has signed it");
    }

    private static boolean isVerifiedBy(List<TokenKey> keys, JWSObject token) {
        return keys.stream().anyMatch(key -> key.verifies(token));
    }

    private static Map<String, Object> payload(JWSObject token) throws TokenRefused {
        Map<String, Object> payload = token.getPayload().toJSONObject();
        if (payload == null) {
            throw new TokenRefused("its payload is no JSON object");
        }
        return payload;
    }
}
