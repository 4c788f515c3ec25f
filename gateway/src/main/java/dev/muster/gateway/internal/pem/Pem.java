package dev.muster.gateway.internal.pem;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PEM: texts with blocks from {@code -----BEGIN X-----} to {@code -----END X-----}. What is between the blocks is ignored. */
public final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----(.*?)-----END \\1-----", Pattern.DOTALL);
    private static final List<String> KEY_TYPES = List.of("RSA", "EC", "EdDSA");

    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String PUBLIC_KEY = "PUBLIC KEY";
    private static final String PRIVATE_KEY = "PRIVATE KEY";

    private Pem() {}

    /** One block; the text is what stands between its first line and its last. */
    private record Block(String label, String text) {
        byte[] bytes() throws UnusableKeys {
            try {
                return Base64.getMimeDecoder().decode(text);
            } catch (IllegalArgumentException e) {
                throw new UnusableKeys("has a block '" + label + "' that is not base64");
            }
        }
    }

    @FunctionalInterface
    private interface Maker<K> {
        K make(KeyFactory factory, KeySpec spec) throws InvalidKeySpecException;
    }

    private static List<Block> blocks(String text) {
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            blocks.add(new Block(matcher.group(1), matcher.group(2)));
        }
        return blocks;
    }

    /** All certificates in their order, at least one. Other blocks are ignored. */
    public static List<X509Certificate> certificates(String text) throws UnusableKeys {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks(text)) {
            if (block.label().equals(CERTIFICATE)) {
                certificates.add(certificate(block));
            }
        }
        if (certificates.isEmpty()) {
            throw new UnusableKeys("has no certificate (-----BEGIN CERTIFICATE-----)");
        }
        return certificates;
    }

    /** The only private key, which is neither encrypted nor in an older format. */
    public static PrivateKey privateKey(String text) throws UnusableKeys {
        List<Block> keys = blocks(text).stream()
                .filter(block -> block.label().endsWith(PRIVATE_KEY))
                .toList();
        if (keys.isEmpty()) {
            throw new UnusableKeys("has no private key (-----BEGIN PRIVATE KEY-----)");
        }
        if (keys.size() > 1) {
            throw new UnusableKeys("has " + keys.size() + " private keys instead of one");
        }
        Block block = keys.get(0);
        if (!block.label().equals(PRIVATE_KEY)) {
            String problem =
                    block.label().startsWith("ENCRYPTED") || block.text().contains("ENCRYPTED")
                            ? "is encrypted"
                            : "has the format '" + block.label() + "' instead of PKCS #8";
            throw new UnusableKeys(problem + "; convert it with: openssl pkey -in OLD -out NEW");
        }
        return decode(new PKCS8EncodedKeySpec(block.bytes()), KeyFactory::generatePrivate, "private key");
    }

    /** All public keys and the keys of all certificates in their order, at least one. */
    public static List<PublicKey> publicKeys(String text) throws UnusableKeys {
        List<PublicKey> keys = new ArrayList<>();
        for (Block block : blocks(text)) {
            switch (block.label()) {
                case PUBLIC_KEY ->
                    keys.add(decode(new X509EncodedKeySpec(block.bytes()), KeyFactory::generatePublic, "public key"));
                case CERTIFICATE -> keys.add(certificate(block).getPublicKey());
                case "RSA PUBLIC KEY" ->
                    throw new UnusableKeys("has a key in the format 'RSA PUBLIC KEY'; convert it with:"
                            + " openssl rsa -RSAPublicKey_in -in OLD -pubout -out NEW");
                default ->
                    throw new UnusableKeys(
                            "has a block '" + block.label() + "'; only public keys and certificates belong into it");
            }
        }
        if (keys.isEmpty()) {
            throw new UnusableKeys("has no public key (-----BEGIN PUBLIC KEY-----) and no certificate");
        }
        return keys;
    }

    private static X509Certificate certificate(Block block) throws UnusableKeys {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(block.bytes()));
        } catch (CertificateException e) {
            throw new UnusableKeys("has a certificate that cannot be read");
        }
    }

    private static <K> K decode(KeySpec spec, Maker<K> maker, String what) throws UnusableKeys {
        for (String type : KEY_TYPES) {
            try {
                return maker.make(KeyFactory.getInstance(type), spec);
            } catch (InvalidKeySpecException e) {
                // It is a key of another type.
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
        throw new UnusableKeys("has a " + what + " that cannot be read; RSA, EC and Ed25519 are supported");
    }

    /** Whether a signature with the one is valid for the other. */
    public static boolean isPair(PrivateKey privateKey, PublicKey publicKey) {
        try {
            Signature signature = Signature.getInstance(
                    switch (publicKey.getAlgorithm()) {
                        case "RSA" -> "SHA256withRSA";
                        case "EC" -> "SHA256withECDSA";
                        case "EdDSA" -> "EdDSA";
                        default -> throw new NoSuchAlgorithmException(publicKey.getAlgorithm());
                    });
            byte[] sample = "muster".getBytes(StandardCharsets.US_ASCII);
            signature.initSign(privateKey);
            signature.update(sample);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(sample);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
