package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStoreException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CertificateFilesTest {
    private static final Certificate EC = Certificate.of("EC");

    private CertificateFiles files;

    @BeforeEach
    void name(@TempDir Path folder) {
        files = Certificate.files(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aCertificateAndItsKeyAreOpened(String type) throws KeyStoreException {
        Certificate certificate = Certificate.of(type);
        certificate.write(files);

        assertThat(files.read().open().store().getCertificate("gateway")).isEqualTo(certificate.certificate);
    }

    @Test
    void theChainIsKeptInItsOrder() throws IOException, KeyStoreException {
        EC.write(files);
        Certificate above = Certificate.of("RSA");
        Files.writeString(files.certificate(), EC.certificatePem() + "a comment\n" + above.certificatePem());

        assertThat(files.read().open().store().getCertificateChain("gateway"))
                .containsExactly(EC.certificate, above.certificate);
        Files.writeString(files.certificate(), above.certificatePem() + EC.certificatePem());
        requireRefused("gateway.tls_key", "does not belong to the first certificate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aKeyOfAnotherCertificateIsRefused(String type) throws IOException {
        EC.write(files);
        Files.writeString(files.key(), Certificate.of(type).keyPem());

        requireRefused("gateway.tls_key", "does not belong to the first certificate");
    }

    @ParameterizedTest
    @CsvSource({
        "RSA PRIVATE KEY, instead of PKCS #8",
        "EC PRIVATE KEY, instead of PKCS #8",
        "ENCRYPTED PRIVATE KEY, is encrypted"
    })
    void otherFormatsOfKeysAreRefusedWithTheCommandThatConvertsThem(String label, String problem) throws IOException {
        EC.write(files);
        Files.writeString(files.key(), Certificate.pem(label, new byte[] {1, 2, 3}));

        requireRefused("gateway.tls_key", problem, "openssl pkey -in OLD -out NEW");
    }

    @Test
    void anEncryptedKeyOfTheOldFormatIsCalledEncrypted() throws IOException {
        EC.write(files);
        Files.writeString(
                files.key(),
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA\n"
                        + "-----END RSA PRIVATE KEY-----\n");

        requireRefused("gateway.tls_key", "is encrypted", "openssl pkey");
    }

    @Test
    void filesThatAreMissingOrEmptyAreNamed() throws IOException {
        requireRefused("gateway.tls_certificate", files.certificate().toString(), "does not exist");
        EC.write(files);
        Files.delete(files.key());
        requireRefused("gateway.tls_key", files.key().toString(), "does not exist");
        Files.writeString(files.key(), "");
        requireRefused("gateway.tls_key", "has no private key");
        Files.writeString(files.key(), EC.keyPem() + EC.keyPem());
        requireRefused("gateway.tls_key", "has 2 private keys");
        Files.writeString(files.key(), Certificate.pem("PRIVATE KEY", new byte[] {1, 2, 3}));
        requireRefused("gateway.tls_key", "cannot be read");
        Files.writeString(files.certificate(), "nothing");
        requireRefused("gateway.tls_certificate", "has no certificate");
        Files.writeString(files.certificate(), Certificate.pem("CERTIFICATE", new byte[] {1, 2, 3}));
        requireRefused("gateway.tls_certificate", "cannot be read");
    }

    private void requireRefused(String setting, String... problems) {
        assertThatThrownBy(() -> files.read().open())
                .isInstanceOf(MusterException.class)
                .hasMessageStartingWith(setting + ": ")
                .hasMessageContainingAll(problems);
    }
}
