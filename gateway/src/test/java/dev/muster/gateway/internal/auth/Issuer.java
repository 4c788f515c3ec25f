package dev.muster.gateway.internal.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import dev.muster.document.internal.Json;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Signs tokens as an identity provider does, with one key. */
public final class Issuer {
    public static final String NAME = "https://id.example.com/";

    final KeyPair keys;
    final JWSAlgorithm algorithm;
    private final @Nullable String keyId;

    private Issuer(KeyPair keys, JWSAlgorithm algorithm, @Nullable String keyId) {
        this.keys = keys;
        this.algorithm = algorithm;
        this.keyId = keyId;
    }

    public static Issuer ec(@Nullable String keyId) {
        return ec("secp256r1", JWSAlgorithm.ES256, keyId);
    }

    static Issuer ec(String curve, JWSAlgorithm algorithm, @Nullable String keyId) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(curve));
            return new Issuer(generator.generateKeyPair(), algorithm, keyId);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static Issuer rsa(int bits, JWSAlgorithm algorithm, @Nullable String keyId) {
        try {
            if (bits == RsaKeys.BITS) {
                return new Issuer(RsaKeys.pair(), algorithm, keyId);
            }
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(bits);
            return new Issuer(generator.generateKeyPair(), algorithm, keyId);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static Issuer ed25519(JWSAlgorithm algorithm, @Nullable String keyId) {
        try {
            return new Issuer(KeyPairGenerator.getInstance("Ed25519").generateKeyPair(), algorithm, keyId);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    Issuer withAlgorithm(JWSAlgorithm other) {
        return new Issuer(keys, other, keyId);
    }

    Issuer withKeyId(@Nullable String other) {
        return new Issuer(keys, algorithm, other);
    }

    /** Claims of a good token. */
    public static Map<String, @Nullable Object> claims(Instant now, String scope) {
        Map<String, @Nullable Object> claims = new LinkedHashMap<>();
        claims.put("iss", NAME);
        claims.put("aud", "muster");
        claims.put("sub", "ada");
        claims.put("iat", now.getEpochSecond());
        claims.put("exp", now.getEpochSecond() + 300);
        claims.put("scope", scope);
        return claims;
    }

    public String sign(Map<String, ? extends @Nullable Object> claims) {
        return sign(new JWSHeader.Builder(algorithm).keyID(keyId).type(JOSEObjectType.JWT), Json.write(claims));
    }

    String sign(JWSHeader.Builder header, String payload) {
        try {
            if (keys.getPrivate().getAlgorithm().equals("EdDSA")) {
                return signEd25519(header.build(), payload);
            }
            JWSObject token = new JWSObject(header.build(), new Payload(payload));
            token.sign(signer());
            return token.serialize();
        } catch (JOSEException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private JWSSigner signer() throws JOSEException {
        return keys.getPrivate().getAlgorithm().equals("EC")
                ? new ECDSASigner(
                        keys.getPrivate(),
                        Curve.forJWSAlgorithm(algorithm).iterator().next())
                : new RSASSASigner(keys.getPrivate());
    }

    private String signEd25519(JWSHeader header, String payload) throws GeneralSecurityException {
        String input = header.toBase64URL() + "." + Base64URL.encode(payload);
        Signature signature = Signature.getInstance("Ed25519");
        signature.initSign(keys.getPrivate());
        signature.update(input.getBytes(StandardCharsets.US_ASCII));
        return input + "." + Base64URL.encode(signature.sign());
    }

    /** The public key, as it is published. */
    Map<String, Object> jwk() {
        JWK key;
        if (keys.getPublic() instanceof RSAPublicKey rsa) {
            key = new RSAKey.Builder(rsa).keyID(keyId).build();
        } else if (keys.getPublic() instanceof ECPublicKey ec) {
            key = new ECKey.Builder(Curve.forECParameterSpec(ec.getParams()), ec)
                    .keyID(keyId)
                    .build();
        } else {
            byte[] encoded = keys.getPublic().getEncoded();
            key = new OctetKeyPair.Builder(
                            Curve.Ed25519,
                            Base64URL.encode(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length)))
                    .keyID(keyId)
                    .build();
        }
        return new LinkedHashMap<>(key.toJSONObject());
    }

    /** A JWK set with the keys of these issuers. */
    public static String published(Issuer... issuers) {
        return Json.write(Map.of("keys", Stream.of(issuers).map(Issuer::jwk).toList()));
    }

    static String published(List<Map<String, Object>> keys) {
        return Json.write(Map.of("keys", keys));
    }

    String publicPem() {
        return "-----BEGIN PUBLIC KEY-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'})
                        .encodeToString(keys.getPublic().getEncoded())
                + "\n-----END PUBLIC KEY-----\n";
    }
}
