package dev.muster.gateway.internal;

import dev.muster.gateway.internal.pem.Pem;
import dev.muster.gateway.internal.pem.UnusableKeys;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** The two PEM files of {@code gateway.tls_certificate} and {@code gateway.tls_key}. */
record CertificateFiles(Path certificate, Path key) {

    /** A certificate and its key, as the TLS of the JDK wants them. */
    record Opened(KeyStore store, String password, Instant validUntil) {}

    /** What one file has, or why it cannot be read. */
    private record FileText(String text, String problem) {
        static FileText of(Path file) {
            try {
                return new FileText(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1), "");
            } catch (NoSuchFileException e) {
                return new FileText("", "does not exist");
            } catch (IOException e) {
                return new FileText("", "cannot be read: " + e.getMessage());
            }
        }

        String require() throws UnusableKeys {
            if (!problem.isEmpty()) {
                throw new UnusableKeys(problem);
            }
            return text;
        }
    }

    /** What the files had at one moment. */
    static final class Content {
        private final CertificateFiles files;
        private final FileText certificate;
        private final FileText key;

        private Content(CertificateFiles files) {
            this.files = files;
            this.certificate = FileText.of(files.certificate);
            this.key = FileText.of(files.key);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Content that && certificate.equals(that.certificate) && key.equals(that.key);
        }

        @Override
        public int hashCode() {
            return certificate.hashCode() * 31 + key.hashCode();
        }

        /** @throws MusterException if they are not a certificate and its key; the message names the setting and the file */
        Opened open() {
            List<X509Certificate> chain = files.chain(certificate);
            PrivateKey secret = files.secret(key);
            if (!Pem.isPair(secret, chain.get(0).getPublicKey())) {
                throw new MusterException("gateway.tls_key: the key in " + files.key
                        + " does not belong to the first certificate in " + files.certificate);
            }
            return opened(chain, secret);
        }
    }

    Content read() {
        return new Content(this);
    }

    private List<X509Certificate> chain(FileText file) {
        try {
            return Pem.certificates(file.require());
        } catch (UnusableKeys e) {
            throw new MusterException("gateway.tls_certificate: the file " + certificate + " " + e.getMessage());
        }
    }

    private PrivateKey secret(FileText file) {
        try {
            return Pem.privateKey(file.require());
        } catch (UnusableKeys e) {
            throw new MusterException("gateway.tls_key: the file " + key + " " + e.getMessage());
        }
    }

    private static Opened opened(List<X509Certificate> chain, PrivateKey secret) {
        try {
            // The store stays in memory; it only has a password because it must have one.
            String password = UUID.randomUUID().toString();
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("gateway", secret, password.toCharArray(), chain.toArray(X509Certificate[]::new));
            return new Opened(store, password, chain.get(0).getNotAfter().toInstant());
        } catch (GeneralSecurityException | IOException e) {
            throw new MusterException("gateway.tls_certificate: the certificate cannot be used: " + e.getMessage(), e);
        }
    }
}
