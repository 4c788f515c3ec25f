package dev.muster.gateway.internal.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import dev.muster.gateway.internal.pem.Pem;
import dev.muster.gateway.internal.pem.UnusableKeys;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.text.ParseException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The issuer's public keys as they were at one moment. */
final class KeySet {
    private static final int MOST_KEYS = 100;

    /** A wrong token without the id of a key must not cost as many verifications as there are keys. */
    static final int MOST_TRIED = 10;

    /** What stands before the 32 bytes of an Ed25519 key in its X.509 form (RFC 8410). */
    private static final byte[] ED25519_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

    private final List<TokenKey> keys;

    private KeySet(List<TokenKey> keys) {
        this.keys = List.copyOf(keys);
    }

    /** Those that may have signed a token with this header, at most {@value #MOST_TRIED}. */
    List<TokenKey> fitting(JWSHeader header) {
        return keys.stream().filter(key -> key.fits(header)).limit(MOST_TRIED).toList();
    }

    /** Reads a JWK set, or public keys and certificates in PEM. */
    static KeySet read(String text) throws UnusableKeys {
        return text.stripLeading().startsWith("{") ? readJwks(text) : readPem(text);
    }

    private static KeySet readPem(String text) throws UnusableKeys {
        return of(Pem.publicKeys(text).stream()
                .flatMap(key -> TokenKey.of(null, null, key).stream())
                .toList());
    }

    /** Keys that are not meant for signatures, or of a kind that no accepted algorithm has, are left out. */
    static KeySet readJwks(String text) throws UnusableKeys {
        List<JWK> all;
        try {
            all = JWKSet.parse(text).getKeys();
        } catch (ParseException | RuntimeException e) {
            throw new UnusableKeys("has no JWK set that can be read");
        }
        return of(all.stream()
                .filter(KeySet::isForSignatures)
                .flatMap(key -> open(key).stream())
                .toList());
    }

    private static KeySet of(List<TokenKey> keys) throws UnusableKeys {
        if (keys.isEmpty()) {
            throw new UnusableKeys("has no public key with which tokens could be verified;"
                    + " RSA from 2048 bits on, EC (P-256, P-384, P-521) and Ed25519 are supported");
        }
        if (keys.size() > MOST_KEYS) {
            throw new UnusableKeys("has " + keys.size() + " keys; at most " + MOST_KEYS + " are allowed");
        }
        return new KeySet(keys);
    }

    private static boolean isForSignatures(JWK key) {
        return (key.getKeyUse() == null || key.getKeyUse().equals(KeyUse.SIGNATURE))
                && (key.getKeyOperations() == null || key.getKeyOperations().contains(KeyOperation.VERIFY));
    }

    private static Optional<TokenKey> open(JWK key) {
        try {
            return publicKey(key).flatMap(open -> TokenKey.of(key.getKeyID(), key.getAlgorithm(), open));
        } catch (JOSEException | GeneralSecurityException e) {
            return Optional.empty();
        }
    }

    private static Optional<PublicKey> publicKey(JWK key) throws JOSEException, GeneralSecurityException {
        if (key instanceof RSAKey rsa) {
            return Optional.of(rsa.toRSAPublicKey());
        }
        if (key instanceof ECKey ec) {
            return Optional.of(ec.toECPublicKey());
        }
        if (key instanceof OctetKeyPair pair && pair.getCurve().equals(Curve.Ed25519)) {
            ByteArrayOutputStream encoded = new ByteArrayOutputStream();
            encoded.writeBytes(ED25519_PREFIX);
            encoded.writeBytes(pair.getDecodedX());
            return Optional.of(
                    KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded.toByteArray())));
        }
        return Optional.empty();
    }
}
