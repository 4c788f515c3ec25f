package dev.muster.gateway.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.PlainHeader;
import com.nimbusds.jose.PlainObject;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.util.Base64URL;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo.Auth;
import dev.muster.access.Scope;
import dev.muster.config.JwtConfig;
import dev.muster.config.MusterConfig;
import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.pem.UnusableKeys;
import dev.muster.runtime.NamePatterns;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenVerifierTest {
    private static final Issuer ISSUER = Issuer.ec("k1");

    private final AtomicLong nanos = new AtomicLong();

    private Instant databaseTime = Instant.parse("2031-05-01T12:00:00Z");

    private static JwtConfig config(String... more) {
        Map<String, String> settings = new HashMap<>();
        settings.put("jwt.issuer", Issuer.NAME);
        settings.put("jwt.keys_file", "not-read");
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return MusterConfig.defaults().with(settings).jwt();
    }

    private static TokenKeys keys(String document) {
        KeySet keys;
        try {
            keys = KeySet.read(document);
        } catch (UnusableKeys e) {
            throw new IllegalArgumentException(e);
        }
        return new TokenKeys() {
            @Override
            public KeySet current() {
                return keys;
            }

            @Override
            public KeySet newerThan(KeySet tried) {
                return keys;
            }
        };
    }

    private TokenVerifier verifier(JwtConfig config, Issuer... issuers) {
        return new TokenVerifier(config, keys(Issuer.published(issuers)), () -> databaseTime, nanos::get);
    }

    private Optional<Caller> check(String token) {
        return verifier(config(), ISSUER).check(token, "10.0.0.1");
    }

    private Map<String, @Nullable Object> claims() {
        return Issuer.claims(databaseTime, "read");
    }

    /** A good token but for one claim. */
    private String tokenWith(String claim, @Nullable Object value) {
        Map<String, @Nullable Object> claims = claims();
        claims.put(claim, value);
        return ISSUER.sign(claims);
    }

    private String tokenWithout(String claim) {
        Map<String, @Nullable Object> claims = claims();
        claims.remove(claim);
        return ISSUER.sign(claims);
    }

    private long inSeconds(long seconds) {
        return databaseTime.getEpochSecond() + seconds;
    }

    @Test
    void aTokenMakesACaller() {
        Map<String, @Nullable Object> claims = claims();
        claims.put("scope", "openid write profile read");
        claims.put("roles", List.of("clerk", "auditor"));
        claims.put("tenant", "acme");

        assertThat(check(ISSUER.sign(claims)))
                .contains(Caller.builder("jwt:ada", "ada", Scope.WRITE)
                        .auth(Auth.TOKEN)
                        .roles(Set.of("clerk", "auditor"))
                        .tenant(Optional.of("acme"))
                        .address(Optional.of("10.0.0.1"))
                        .build());
    }

    @Test
    void aTokenSaysWhatItsCallerMayStart() {
        assertThat(check(ISSUER.sign(claims())).orElseThrow().names()).isEqualTo(NamePatterns.ALL);
        for (Object claim : List.of(List.of("mail_*", "report"), "mail_* report")) {
            assertThat(check(tokenWith("names", claim)).orElseThrow().names())
                    .isEqualTo(NamePatterns.of("mail_*", "report"));
        }
        for (Object none : List.of(List.of(), "", " ")) {
            assertThat(check(tokenWith("names", none)).orElseThrow().names()).isEqualTo(NamePatterns.of());
        }
    }

    @Test
    void namesThatMakeNoSenseAreNotTakenForAllNames() {
        for (Object wrong : List.of(7, Map.of(), List.of(7), List.of("Mail"), "***", "a".repeat(300))) {
            assertThat(check(tokenWith("names", wrong))).as("%s", wrong).isEmpty();
        }
    }

    @Test
    void everyAlgorithmOfTheSettingsVerifies() {
        Issuer rsa = Issuer.rsa(2048, JWSAlgorithm.RS256, "rsa");
        Issuer ed = Issuer.ed25519(JWSAlgorithm.EdDSA, "ed");
        for (Issuer issuer : List.of(
                rsa,
                rsa.withAlgorithm(JWSAlgorithm.RS384),
                rsa.withAlgorithm(JWSAlgorithm.RS512),
                rsa.withAlgorithm(JWSAlgorithm.PS256),
                rsa.withAlgorithm(JWSAlgorithm.PS384),
                rsa.withAlgorithm(JWSAlgorithm.PS512),
                ISSUER,
                Issuer.ec("secp384r1", JWSAlgorithm.ES384, "p384"),
                Issuer.ec("secp521r1", JWSAlgorithm.ES512, "p521"),
                ed,
                ed.withAlgorithm(JWSAlgorithm.Ed25519))) {
            String setting = issuer.algorithm.equals(JWSAlgorithm.Ed25519) ? "eddsa" : issuer.algorithm.getName();
            String token = issuer.sign(claims());
            JwtConfig only = config("jwt.algorithms", setting.toLowerCase(Locale.ROOT));
            JwtConfig all = config("jwt.algorithms", "rs256,rs384,rs512,ps256,ps384,ps512,es256,es384,es512,eddsa");
            JwtConfig other = config("jwt.algorithms", setting.equals("RS256") ? "es256" : "rs256");

            assertThat(verifier(only, issuer).check(token, "a")).as(setting).isPresent();
            assertThat(verifier(only, issuer).check(spoilt(token), "a"))
                    .as("%s, spoilt", setting)
                    .isEmpty();
            assertThat(verifier(other, issuer).check(token, "a"))
                    .as("%s, which the settings do not list", setting)
                    .isEmpty();
            // The same id, but a key of another kind.
            Issuer wrong = (issuer.keys.getPublic().getAlgorithm().equals("RSA") ? ISSUER : rsa).withKeyId("k");
            assertThat(verifier(all, wrong).check(issuer.withKeyId("k").sign(claims()), "a"))
                    .isEmpty();
        }
    }

    /** A name of an algorithm that the settings list does not help a key of another kind. */
    @Test
    void theKindOfAKeyDecidesWhatItVerifies() {
        Issuer disguised = Issuer.ed25519(JWSAlgorithm.RS256, "ed");

        assertThat(verifier(config("jwt.algorithms", "rs256"), disguised).check(disguised.sign(claims()), "a"))
                .isEmpty();
    }

    /** The token with another subject and the old signature. */
    private String spoilt(String token) {
        String[] parts = token.split("\\.");
        Map<String, @Nullable Object> claims = claims();
        claims.put("sub", "eve");
        return parts[0] + "." + Base64URL.encode(Json.write(claims)) + "." + parts[2];
    }

    @Test
    void anUnsignedTokenIsRefused() {
        String json = Json.write(claims());
        assertThat(check(new PlainObject(new PlainHeader(), new Payload(json)).serialize()))
                .isEmpty();
        String[] parts = ISSUER.sign(claims()).split("\\.");
        String none = Base64URL.encode("{\"alg\":\"none\",\"kid\":\"k1\"}").toString();
        assertThat(check(none + "." + parts[1] + ".")).isEmpty();
        assertThat(check(none + "." + parts[1] + "." + parts[2])).isEmpty();
        assertThat(check(parts[0] + "." + parts[1] + ".")).isEmpty();
        assertThat(check(parts[0] + "." + parts[1] + ".AA")).isEmpty();
    }

    /** A token that is signed with HMAC and the public key, which everybody has, as the secret. */
    @Test
    void aPublicKeyIsNoSecretOfHmac() throws JOSEException {
        Issuer rsa = Issuer.rsa(2048, JWSAlgorithm.RS256, "k1");
        for (Issuer issuer : List.of(rsa, ISSUER)) {
            for (byte[] secret : List.of(
                    issuer.keys.getPublic().getEncoded(),
                    issuer.publicPem().getBytes(StandardCharsets.US_ASCII),
                    Json.write(issuer.jwk()).getBytes(StandardCharsets.UTF_8))) {
                JWSObject token = new JWSObject(
                        new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("k1").build(),
                        new Payload(Json.write(claims())));
                token.sign(new MACSigner(secret));
                assertThat(verifier(config(), issuer).check(token.serialize(), "a"))
                        .isEmpty();
            }
        }
    }

    /** Even if the issuer publishes a secret by mistake. */
    @Test
    void aPublishedSecretVerifiesNothing() throws JOSEException {
        byte[] secret = new byte[32];
        Arrays.fill(secret, (byte) 7);
        Map<String, Object> oct =
                Map.of("kty", "oct", "kid", "s", "k", Base64URL.encode(secret).toString());
        TokenVerifier verifier = new TokenVerifier(
                config(), keys(Issuer.published(List.of(oct, ISSUER.jwk()))), () -> databaseTime, nanos::get);
        JWSObject token = new JWSObject(
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("s").build(), new Payload(Json.write(claims())));
        token.sign(new MACSigner(secret));

        assertThat(verifier.check(token.serialize(), "a")).isEmpty();
        assertThat(verifier.check(ISSUER.sign(claims()), "a")).isPresent();
    }

    @Test
    void aTokenCannotBringItsOwnKey() throws ParseException {
        Issuer stranger = Issuer.ec("k1");
        JWSHeader.Builder header = new JWSHeader.Builder(JWSAlgorithm.ES256)
                .keyID("k1")
                .jwk(JWK.parse(stranger.jwk()))
                .jwkURL(URI.create("https://evil.example.com/keys"));

        assertThat(check(stranger.sign(header, Json.write(claims())))).isEmpty();
    }

    @Test
    void aKeyOfAnotherUseOrAlgorithmVerifiesNothing() {
        Issuer rsa = Issuer.rsa(2048, JWSAlgorithm.RS256, "rsa");
        for (Map<String, Object> limit : List.<Map<String, Object>>of(
                Map.of("use", "enc"), Map.of("key_ops", List.of("encrypt")), Map.of("alg", "PS256"))) {
            Map<String, Object> key = rsa.jwk();
            key.putAll(limit);
            TokenVerifier verifier = new TokenVerifier(
                    config(), keys(Issuer.published(List.of(key, ISSUER.jwk()))), () -> databaseTime, nanos::get);

            assertThat(verifier.check(rsa.sign(claims()), "a")).as("%s", limit).isEmpty();
        }
    }

    @Test
    void extensionsAndOtherTypesAreRefused() {
        String json = Json.write(claims());
        assertThat(check(ISSUER.sign(header().type(new JOSEObjectType("at+jwt")), json)))
                .isPresent();
        assertThat(check(ISSUER.sign(header(), json))).isPresent();
        assertThat(check(ISSUER.sign(header().type(new JOSEObjectType("logout+jwt")), json)))
                .isEmpty();
        assertThat(check(ISSUER.sign(header().criticalParams(Set.of("b64")).base64URLEncodePayload(true), json)))
                .isEmpty();
    }

    private static JWSHeader.Builder header() {
        return new JWSHeader.Builder(JWSAlgorithm.ES256).keyID("k1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ".",
                "..",
                "a.b.c",
                "a.b.c.d.e",
                "eyJhbGciOiJFUzI1NiJ9..",
                "eyJhbGciOiJFUzI1NiJ9.e30.",
                "bnVsbA.bnVsbA.bnVsbA",
                "W10.W10.W10"
            })
    void whatIsNoTokenIsRefused(String shown) {
        assertThat(check(shown)).isEmpty();
        assertThat(check(ISSUER.sign(header(), "no JSON"))).isEmpty();
        assertThat(check(ISSUER.sign(header(), "[1]"))).isEmpty();
        assertThat(check(ISSUER.sign(header(), "[".repeat(3000)))).isEmpty();
    }

    @Test
    void theIssuerIsComparedExactly() {
        assertThat(check(tokenWith("iss", Issuer.NAME.substring(0, Issuer.NAME.length() - 1))))
                .isEmpty();
        assertThat(check(tokenWith("iss", Issuer.NAME.toUpperCase(Locale.ROOT))))
                .isEmpty();
        assertThat(check(tokenWith("iss", List.of(Issuer.NAME)))).isEmpty();
        assertThat(check(tokenWithout("iss"))).isEmpty();
    }

    @Test
    void theAudienceMustBeAmongThoseOfTheToken() {
        assertThat(check(tokenWith("aud", List.of("shop", "muster")))).isPresent();
        assertThat(check(tokenWith("aud", "shop"))).isEmpty();
        assertThat(check(tokenWith("aud", "muster shop"))).isEmpty();
        assertThat(check(tokenWith("aud", List.of()))).isEmpty();
        assertThat(check(tokenWithout("aud"))).isEmpty();
        assertThat(verifier(config("jwt.audience", "shop"), ISSUER).check(ISSUER.sign(claims()), "a"))
                .isEmpty();
    }

    @Test
    void aTokenExpiresToTheSecond() {
        assertThat(check(tokenWith("exp", inSeconds(1)))).isPresent();
        assertThat(check(tokenWith("exp", inSeconds(0)))).isEmpty();
        assertThat(check(tokenWith("exp", inSeconds(-1)))).isEmpty();
    }

    @Test
    void aTokenWithoutATimeOfExpiryIsRefused() {
        assertThat(check(tokenWithout("exp"))).isEmpty();
        assertThat(check(tokenWith("exp", null))).isEmpty();
        assertThat(check(tokenWith("exp", String.valueOf(inSeconds(60))))).isEmpty();
        assertThat(check(tokenWith("exp", Long.MAX_VALUE))).isEmpty();
        assertThat(check(ISSUER.sign(header(), Json.write(claims()).replaceAll("\"exp\":\\d+", "\"exp\":1e400"))))
                .isEmpty();
    }

    @Test
    void theIssuersClockMayBeHalfAMinuteAhead() {
        for (String claim : List.of("nbf", "iat")) {
            assertThat(check(tokenWith(claim, inSeconds(30)))).as(claim).isPresent();
            assertThat(check(tokenWith(claim, inSeconds(31)))).as(claim).isEmpty();
            assertThat(check(tokenWith(claim, "soon"))).as(claim).isEmpty();
            assertThat(check(tokenWithout(claim))).as(claim).isPresent();
        }
    }

    @Test
    void theDatabasesClockDecidesAndNotTheNodes() {
        Instant system = Instant.now();

        databaseTime = system.plus(Duration.ofHours(2));
        assertThat(check(ISSUER.sign(Issuer.claims(system, "read"))))
                .as("expired for the database, not for the node")
                .isEmpty();
        databaseTime = system.minus(Duration.ofHours(2));
        String past = ISSUER.sign(Issuer.claims(databaseTime, "read"));
        assertThat(check(past)).as("expired for the node, not for the database").isPresent();
        assertThat(check(ISSUER.sign(Issuer.claims(system, "read"))))
                .as("issued in the database's future")
                .isEmpty();
    }

    @Test
    void theSubjectIsABoundedPrintableText() {
        assertThat(check(tokenWith("sub", "x".repeat(255)))).isPresent();
        for (Object wrong : Arrays.asList("", "  ", "x".repeat(256), "a\nb", "a\u0000", "\u202eada", 7, null)) {
            assertThat(check(tokenWith("sub", wrong))).as("%s", wrong).isEmpty();
        }
        assertThat(check(tokenWithout("sub"))).isEmpty();
    }

    @Test
    void theHighestKnownScopeCounts() {
        assertThat(scope("read")).contains(Scope.READ);
        assertThat(scope("profile admin read")).contains(Scope.ADMIN);
        assertThat(scope(List.of("read", "write", "email"))).contains(Scope.WRITE);
        for (Object wrong : Arrays.asList(
                "", "openid", "ADMIN", "administrator", "read,write", List.of(), List.of("read write"), 7, true)) {
            assertThat(scope(wrong)).as("%s", wrong).isEmpty();
        }
        assertThat(scope(List.of("read", 7))).isEmpty();
        assertThat(check(tokenWithout("scope"))).isEmpty();
    }

    private Optional<Scope> scope(Object claim) {
        return check(tokenWith("scope", claim)).map(Caller::scope);
    }

    @Test
    void rolesAreATextOrAList() {
        assertThat(check(tokenWith("roles", "clerk  auditor")).orElseThrow().roles())
                .containsExactlyInAnyOrder("clerk", "auditor");
        assertThat(check(tokenWith("roles", List.of("clerk", "clerk")))
                        .orElseThrow()
                        .roles())
                .containsExactly("clerk");
        assertThat(check(tokenWithout("roles")).orElseThrow().roles()).isEmpty();
        assertThat(check(tokenWith("roles", Map.of("clerk", true)))).isEmpty();
    }

    /** Without a tenant a caller may use the things of all. So a tenant that makes no sense must not count as none. */
    @Test
    void aTenantThatMakesNoSenseIsRefused() {
        assertThat(check(tokenWith("tenant", "acme")).orElseThrow().tenant()).contains("acme");
        assertThat(check(tokenWithout("tenant")).orElseThrow().tenant()).isEmpty();
        for (Object wrong :
                Arrays.asList(null, "", " ", 7, List.of("acme"), Map.of(), false, "x".repeat(101), "a\u0000b")) {
            assertThat(check(tokenWith("tenant", wrong))).as("%s", wrong).isEmpty();
        }
    }

    @Test
    void theSettingsNameTheClaims() {
        JwtConfig own =
                config("jwt.scope_claim", "scp", "jwt.roles_claim", "groups", "jwt.tenant_claim", "https://acme/org");
        Map<String, @Nullable Object> claims = claims();
        claims.putAll(Map.of("scp", List.of("admin"), "groups", List.of("ops"), "https://acme/org", "acme"));

        Caller caller = verifier(own, ISSUER).check(ISSUER.sign(claims), "a").orElseThrow();

        assertThat(caller.scope()).isEqualTo(Scope.ADMIN);
        assertThat(caller.roles()).containsExactly("ops");
        assertThat(caller.tenant()).contains("acme");
    }

    @Test
    void aTokenOrAKeyWithoutAnIdIsTriedWithAllKeysThatFit() {
        Issuer other = Issuer.ec("k2");
        assertThat(verifier(config(), other, ISSUER)
                        .check(ISSUER.withKeyId(null).sign(claims()), "a"))
                .isPresent();
        assertThat(verifier(config(), other.withKeyId(null), ISSUER.withKeyId(null))
                        .check(ISSUER.sign(claims()), "a"))
                .isPresent();
        assertThat(verifier(config(), other, ISSUER.withKeyId("k3")).check(ISSUER.sign(claims()), "a"))
                .as("a key with another id")
                .isEmpty();
    }

    @Test
    void aTokenWithoutAnIdIsTriedWithFewKeys() {
        Issuer[] issuers = Stream.generate(() -> Issuer.ec(null))
                .limit(KeySet.MOST_TRIED + 1)
                .toArray(Issuer[]::new);
        TokenVerifier verifier = verifier(config(), issuers);

        assertThat(verifier.check(issuers[KeySet.MOST_TRIED - 1].sign(claims()), "a"))
                .isPresent();
        assertThat(verifier.check(issuers[KeySet.MOST_TRIED].sign(claims()), "a"))
                .isEmpty();
    }

    /** Keys that the test exchanges. */
    private static final class Keys implements TokenKeys {
        KeySet now = keys(Issuer.published(ISSUER)).current();

        @Override
        public KeySet current() {
            return now;
        }

        @Override
        public KeySet newerThan(KeySet tried) {
            return now;
        }
    }

    @Test
    void aRememberedTokenExpiresLikeAnyOther() {
        TokenVerifier verifier = verifier(config(), ISSUER);
        String token = tokenWith("exp", inSeconds(2));
        assertThat(verifier.check(token, "a")).isPresent();

        databaseTime = databaseTime.plusSeconds(2);
        assertThat(verifier.check(token, "a")).isEmpty();
    }

    @Test
    void aRememberedTokenHasTheAddressOfEachRequest() {
        TokenVerifier verifier = verifier(config(), ISSUER);
        String token = ISSUER.sign(claims());
        assertThat(verifier.check(token, "10.0.0.1").orElseThrow().address()).contains("10.0.0.1");
        assertThat(verifier.check(token, "10.0.0.2").orElseThrow().address()).contains("10.0.0.2");
    }

    @Test
    void aRememberedTokenIsForgottenWithItsKey() {
        Keys source = new Keys();
        TokenVerifier verifier = new TokenVerifier(config(), source, () -> databaseTime, nanos::get);
        String token = ISSUER.sign(claims());
        assertThat(verifier.check(token, "a")).isPresent();

        source.now = keys(Issuer.published(Issuer.ec("k1"))).current();
        assertThat(verifier.check(token, "a")).isEmpty();
    }

    @Test
    void tokensAreRememberedForFiveSecondsAndNotTooMany() throws UnusableKeys, TokenRefused {
        KeySet keys = KeySet.read(Issuer.published(ISSUER));
        TokenClaims.Accepted accepted = new TokenClaims(config()).read(claims());
        RememberedTokens tokens = new RememberedTokens(nanos::get);
        tokens.add("token", accepted, keys);
        nanos.addAndGet(RememberedTokens.LIFE.toNanos() - 1);
        assertThat(tokens.find("token", keys)).contains(accepted);
        assertThat(tokens.find("another", keys)).isEmpty();
        nanos.addAndGet(1);
        assertThat(tokens.find("token", keys)).isEmpty();

        for (int i = 0; i <= RememberedTokens.MOST; i++) {
            tokens.add("token" + i, accepted, keys);
        }
        assertThat(tokens.size()).isEqualTo(RememberedTokens.MOST);
        assertThat(tokens.find("token0", keys)).as("the oldest").isEmpty();
        assertThat(tokens.find("token1", keys)).isPresent();
    }
}
