package dev.muster.gateway.internal;

import dev.muster.gateway.internal.auth.RsaKeys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate for localhost and 127.0.0.1, with its key. The JDK has no API that makes one, so this writes its DER. */
final class Certificate {
    private static final DateTimeFormatter UTC_TIME =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    final KeyPair keys;
    final X509Certificate certificate;

    private Certificate(KeyPair keys, X509Certificate certificate) {
        this.keys = keys;
        this.certificate = certificate;
    }

    /** @param type RSA, EC or Ed25519 */
    static Certificate of(String type) {
        try {
            KeyPair keys = type.equals("RSA")
                    ? RsaKeys.pair()
                    : KeyPairGenerator.getInstance(type).generateKeyPair();
            return new Certificate(keys, sign(keys, type));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static X509Certificate sign(KeyPair keys, String type) throws GeneralSecurityException {
        String oid;
        String name;
        switch (type) {
            case "RSA" -> {
                oid = "300d06092a864886f70d01010b0500";
                name = "SHA256withRSA";
            }
            case "EC" -> {
                oid = "300a06082a8648ce3d040302";
                name = "SHA256withECDSA";
            }
            default -> {
                oid = "300506032b6570";
                name = "Ed25519";
            }
        }
        byte[] algorithm = HexFormat.of().parseHex(oid);
        byte[] subject = der(0x30, der(0x31, der(0x30, hex("0603550403"), der(0x0c, ascii("muster test")))));
        byte[] names = der(0x30, der(0x82, ascii("localhost")), der(0x87, new byte[] {127, 0, 0, 1}));
        byte[] alternatives = der(0x30, hex("0603551d11"), der(0x04, names));
        Instant now = Instant.now();
        byte[] content = der(
                0x30,
                der(0xa0, hex("020102")),
                der(0x02, new BigInteger(64, new SecureRandom()).setBit(62).toByteArray()),
                algorithm,
                subject,
                der(0x30, time(now.minusSeconds(86_400)), time(now.plusSeconds(86_400))),
                subject,
                keys.getPublic().getEncoded(),
                der(0xa3, der(0x30, alternatives)));
        Signature signature = Signature.getInstance(name);
        signature.initSign(keys.getPrivate());
        signature.update(content);
        byte[] whole = der(0x30, content, algorithm, der(0x03, new byte[] {0}, signature.sign()));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole));
    }

    private static byte[] time(Instant instant) {
        return der(0x17, ascii(UTC_TIME.format(instant)));
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(tag);
        int length = content.size();
        if (length >= 0x100) {
            all.write(0x82);
            all.write(length >> 8);
        } else if (length >= 0x80) {
            all.write(0x81);
        }
        all.write(length);
        all.writeBytes(content.toByteArray());
        return all.toByteArray();
    }

    String certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    String keyPem() {
        return pem("PRIVATE KEY", keys.getPrivate().getEncoded());
    }

    static String pem(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes) + "\n-----END " + label
                + "-----\n";
    }

    void write(CertificateFiles files) {
        try {
            Files.writeString(files.certificate(), certificatePem());
            Files.writeString(files.key(), keyPem());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static CertificateFiles files(Path folder) {
        return new CertificateFiles(folder.resolve("server.crt"), folder.resolve("server.key"));
    }

    /** For clients that trust these certificates and no others. */
    static SSLContext trusting(Certificate... trusted) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (Certificate one : trusted) {
                store.setCertificateEntry("c" + store.size(), one.certificate);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
