package dev.muster.gateway.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import dev.muster.config.MusterConfig;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeysFileTest {
    private static final Instant NOW = Instant.parse("2031-05-01T12:00:00Z");
    private static final Issuer ONE = Issuer.ec("one");
    private static final Issuer TWO = Issuer.rsa(2048, JWSAlgorithm.RS256, "two");

    private final AtomicLong nanos = new AtomicLong();

    private Path file;

    @BeforeEach
    void name(@TempDir Path folder) {
        file = folder.resolve("keys");
    }

    private TokenVerifier open() {
        return new TokenVerifier(
                MusterConfig.defaults()
                        .with(Map.of("jwt.issuer", Issuer.NAME, "jwt.keys_file", file.toString()))
                        .jwt(),
                new KeysFile(file, nanos::get),
                () -> NOW,
                nanos::get);
    }

    private static boolean accepts(TokenVerifier verifier, Issuer issuer) {
        return verifier.check(issuer.sign(Issuer.claims(NOW, "read")), "a").isPresent();
    }

    @Test
    void theFileHasAJwkSetOrPem() throws IOException {
        Issuer ed = Issuer.ed25519(JWSAlgorithm.EdDSA, "ed");
        for (String text : new String[] {
            Issuer.published(ONE, TWO, ed), "Keys:\n" + ONE.publicPem() + TWO.publicPem() + "\n" + ed.publicPem()
        }) {
            Files.writeString(file, text);
            TokenVerifier verifier = open();
            assertThat(accepts(verifier, ONE)).isTrue();
            assertThat(accepts(verifier, TWO)).isTrue();
            assertThat(accepts(verifier, ed)).isTrue();
            assertThat(accepts(verifier, Issuer.ec("one"))).isFalse();
        }
    }

    @Test
    void aChangedFileIsReadAgain() throws IOException {
        Files.writeString(file, ONE.publicPem());
        TokenVerifier verifier = open();
        Files.writeString(file, TWO.publicPem());
        nanos.addAndGet(Duration.ofSeconds(5).toNanos() - 1);
        assertThat(accepts(verifier, ONE)).as("not read yet").isTrue();

        nanos.addAndGet(1);
        assertThat(accepts(verifier, TWO)).isTrue();
        assertThat(accepts(verifier, ONE)).isFalse();
    }

    @Test
    void aBrokenFileLeavesTheOldKeys() throws IOException {
        Files.writeString(file, ONE.publicPem());
        TokenVerifier verifier = open();
        for (String broken : new String[] {"", "{}", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"}) {
            Files.writeString(file, broken);
            nanos.addAndGet(Duration.ofSeconds(5).toNanos());
            assertThat(accepts(verifier, ONE)).as(broken).isTrue();
        }
        Files.delete(file);
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        assertThat(accepts(verifier, ONE)).isTrue();
        Files.writeString(file, TWO.publicPem());
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        assertThat(accepts(verifier, TWO)).isTrue();
    }

    @Test
    void aFileThatCannotBeUsedIsRefusedAtTheStart() throws IOException {
        requireRefused("does not exist");
        requireRefused("", "has no public key");
        requireRefused("{\"keys\":[]}", "has no public key with which tokens could be verified");
        requireRefused("{\"keys\":7}", "has no JWK set that can be read");
        requireRefused(Issuer.rsa(1024, JWSAlgorithm.RS256, "small").publicPem(), "RSA from 2048 bits on");
        requireRefused(
                ONE.publicPem().replace("PUBLIC KEY", "PRIVATE KEY"), "only public keys and certificates belong into");
        requireRefused(TWO.publicPem().replace("PUBLIC KEY", "RSA PUBLIC KEY"), "openssl rsa -RSAPublicKey_in");
        requireRefused(" ".repeat((1 << 20) + 1), "is larger than 1 MB");
    }

    private void requireRefused(String text, String problem) throws IOException {
        Files.writeString(file, text);
        requireRefused(problem);
    }

    private void requireRefused(String problem) {
        assertThatThrownBy(this::open)
                .isInstanceOf(MusterException.class)
                .hasMessageStartingWith("jwt.keys_file: the file " + file)
                .hasMessageContaining(problem);
    }
}
