package dev.muster.gateway.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.Caller;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.runtime.LogContext;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PublishedKeysTest {
    private static final Instant NOW = Instant.parse("2031-05-01T12:00:00Z");
    private static final Issuer ONE = Issuer.ec("one");
    private static final Issuer TWO = Issuer.ec("two");

    private final KeysServer server = new KeysServer(Issuer.published(ONE));
    private final AtomicLong nanos = new AtomicLong(-5);
    private final PublishedKeys keys =
            new PublishedKeys(URI.create(server.url()), nanos::get, LogContext.of("node", null), Duration.ofMinutes(5));
    private final TokenVerifier verifier = new TokenVerifier(
            MusterConfig.defaults()
                    .with(Map.of("jwt.issuer", Issuer.NAME, "jwt.jwks_url", server.url()))
                    .jwt(),
            keys,
            () -> NOW,
            nanos::get);

    @AfterEach
    void stop() {
        server.close();
    }

    private Optional<Caller> check(Issuer issuer) {
        return verifier.check(issuer.sign(Issuer.claims(NOW, "read")), "a");
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void keysAreReadOnceForManyTokens() {
        for (int i = 0; i < 20; i++) {
            assertThat(check(ONE)).isPresent();
        }
        assertThat(server.requests()).isEqualTo(1);
    }

    @Test
    void anUnknownKeyIsLookedForOnceInHalfAMinute() {
        assertThat(check(ONE)).isPresent();
        assertThat(check(TWO)).isEmpty();
        assertThat(server.requests()).as("looked for").isEqualTo(2);
        server.publish(Issuer.published(ONE, TWO));

        pass(PublishedKeys.PAUSE.minusNanos(1));
        assertThat(check(TWO)).isEmpty();
        assertThat(check(Issuer.ec("three"))).isEmpty();
        assertThat(server.requests()).as("not looked for again").isEqualTo(2);

        pass(Duration.ofNanos(1));
        assertThat(check(TWO)).isPresent();
        assertThat(check(ONE)).isPresent();
        assertThat(server.requests()).isEqualTo(3);
    }

    @Test
    void aWrongSignatureOfAKnownKeyIsNoReasonToLook() {
        assertThat(check(ONE)).isPresent();
        assertThat(check(TWO.withKeyId("one"))).isEmpty();
        assertThat(server.requests()).isEqualTo(1);
    }

    @Test
    void aKeyThatIsNotPublishedAnyMoreIsForgotten() {
        assertThat(check(ONE)).isPresent();
        server.publish(Issuer.published(TWO));

        pass(PublishedKeys.OLD.minusNanos(1));
        assertThat(check(ONE)).isPresent();
        assertThat(server.requests()).isEqualTo(1);

        pass(Duration.ofNanos(1));
        Awaitility.await().untilAsserted(() -> assertThat(check(ONE)).isEmpty());
        assertThat(check(TWO)).isPresent();
    }

    @Test
    void veryOldKeysAreReadBeforeTheyAreUsed() {
        assertThat(check(ONE)).isPresent();
        server.publish(Issuer.published(TWO));
        pass(PublishedKeys.VERY_OLD);

        assertThat(check(ONE)).isEmpty();
    }

    @Test
    void oldKeysStayWhileTheIssuerIsAway() {
        assertThat(check(ONE)).isPresent();
        server.answerWith(500);

        pass(Duration.ofDays(1));
        assertThat(check(ONE)).isPresent();
        assertThat(server.requests()).isEqualTo(2);
        server.close();
        pass(Duration.ofDays(1));
        assertThat(check(ONE)).isPresent();
    }

    /** A request that waits has a place that a known caller could have. */
    @Test
    void onlyAFewRequestsWaitForTheIssuer() {
        assertThat(check(ONE)).isPresent();
        server.fallSilent();
        assertThat(keys.waiting.tryAcquire(PublishedKeys.MOST_WAITING)).isTrue();

        requireUnavailable(TWO);
        assertThat(check(ONE)).isPresent();
        pass(PublishedKeys.VERY_OLD);
        assertThat(check(ONE)).as("the old keys stay").isPresent();
        keys.waiting.release(PublishedKeys.MOST_WAITING);

        assertThat(check(TWO)).as("waits until the issuer has had its time").isEmpty();
        assertThat(keys.waiting.availablePermits()).isEqualTo(PublishedKeys.MOST_WAITING);
    }

    @Test
    void withoutKeysATokenIsNeitherAcceptedNorRefused() {
        server.answerWith(500);
        requireUnavailable();
        assertThat(server.requests()).isEqualTo(1);

        server.answerWith(200);
        pass(PublishedKeys.FIRST_PAUSE.minusNanos(1));
        requireUnavailable();
        assertThat(server.requests()).as("asked again too early").isEqualTo(1);

        pass(Duration.ofNanos(1));
        assertThat(check(ONE)).isPresent();
    }

    @Test
    void whatIsNoTokenIsRefusedWithoutKeys() {
        assertThat(verifier.check("x.y.z", "a")).isEmpty();
        assertThat(server.requests()).isZero();
    }

    private void requireUnavailable() {
        requireUnavailable(ONE);
    }

    private void requireUnavailable(Issuer issuer) {
        assertThatThrownBy(() -> check(issuer)).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal.code()).isEqualTo("keys_unavailable");
        });
    }

    @Test
    void aRedirectIsNotFollowed() {
        server.answerWith(302);

        requireUnavailable();

        assertThat(server.requests()).isEqualTo(1);
        assertThat(server.requestsElsewhere()).isZero();
    }

    @Test
    void aDocumentThatIsTooLargeIsNotRead() {
        String good = Issuer.published(ONE);
        server.publish(good + " ".repeat(PublishedKeys.LARGEST - good.length() + 1));
        requireUnavailable();

        server.publish(good + " ".repeat(PublishedKeys.LARGEST - good.length()));
        pass(PublishedKeys.FIRST_PAUSE);
        assertThat(check(ONE)).as("as large as allowed").isPresent();
    }

    @Test
    void aDocumentWithoutKeysLeavesTheOldOnes() {
        assertThat(check(ONE)).isPresent();
        for (String broken : new String[] {"", "<html>", "{}", "{\"keys\":[]}", "{\"keys\":[{\"kty\":\"RSA\"}]}"}) {
            server.publish(broken);
            pass(PublishedKeys.VERY_OLD);
            assertThat(check(ONE)).as(broken).isPresent();
        }
        assertThat(server.requests()).isEqualTo(6);
    }
}
