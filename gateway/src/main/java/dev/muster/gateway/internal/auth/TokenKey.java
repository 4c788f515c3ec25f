package dev.muster.gateway.internal.auth;

import com.nimbusds.jose.Algorithm;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A public key of the issuer. The kind of the key decides which algorithms it verifies. */
final class TokenKey {
    private static final int SMALLEST_RSA = 2048;
    private static final Set<JWSAlgorithm> ED25519 = Set.of(JWSAlgorithm.EdDSA, JWSAlgorithm.Ed25519);

    private final @Nullable String id;
    private final @Nullable Algorithm onlyFor;
    private final Set<JWSAlgorithm> algorithms;
    private final Check check;

    @FunctionalInterface
    private interface Check {
        boolean verify(JWSObject token) throws JOSEException, GeneralSecurityException;
    }

    private TokenKey(@Nullable String id, @Nullable Algorithm onlyFor, Set<JWSAlgorithm> algorithms, Check check) {
        this.id = id;
        this.onlyFor = onlyFor;
        this.algorithms = Set.copyOf(algorithms);
        this.check = check;
    }

    /**
     * @param id the key's {@code kid}; null if it has none
     * @param onlyFor the only algorithm that the key is meant for; null if its owner does not say
     * @return empty if no token may be verified with a key of this kind or size
     */
    static Optional<TokenKey> of(@Nullable String id, @Nullable Algorithm onlyFor, PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() < SMALLEST_RSA
                    ? Optional.empty()
                    : Optional.of(of(id, onlyFor, new RSASSAVerifier(rsa)));
        }
        if (key instanceof ECPublicKey ec) {
            try {
                return Optional.of(of(id, onlyFor, new ECDSAVerifier(ec)));
            } catch (JOSEException e) {
                return Optional.empty();
            }
        }
        if (key instanceof EdECPublicKey ed && ed.getParams().getName().equals("Ed25519")) {
            return Optional.of(new TokenKey(id, onlyFor, ED25519, token -> verifyEd25519(token, ed)));
        }
        return Optional.empty();
    }

    private static TokenKey of(@Nullable String id, @Nullable Algorithm onlyFor, JWSVerifier verifier) {
        return new TokenKey(
                id,
                onlyFor,
                verifier.supportedJWSAlgorithms(),
                token -> verifier.verify(token.getHeader(), token.getSigningInput(), token.getSignature()));
    }

    /** Nimbus needs a further library for this; the JDK can do it since Java 15. */
    private static boolean verifyEd25519(JWSObject token, PublicKey key) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("Ed25519");
        signature.initVerify(key);
        signature.update(token.getSigningInput());
        return signature.verify(token.getSignature().decode());
    }

    /** Whether the token names this key, or one of the two has no id, and the key is for the token's algorithm. */
    boolean fits(JWSHeader header) {
        String wanted = header.getKeyID();
        JWSAlgorithm algorithm = header.getAlgorithm();
        return (wanted == null || id == null || wanted.equals(id))
                && algorithms.contains(algorithm)
                && (onlyFor == null || onlyFor.equals(algorithm) || areBothEd25519(onlyFor, algorithm));
    }

    /** The algorithm has two names, an old one and one of RFC 9864. */
    private static boolean areBothEd25519(Algorithm one, Algorithm other) {
        return ED25519.stream().anyMatch(one::equals) && ED25519.stream().anyMatch(other::equals);
    }

    /** Whether the token was signed with this key's private key. */
    boolean verifies(JWSObject token) {
        try {
            return check.verify(token);
        } catch (JOSEException | GeneralSecurityException e) {
            return false;
        }
    }
}
