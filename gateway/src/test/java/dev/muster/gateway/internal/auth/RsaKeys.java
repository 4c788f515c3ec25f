package dev.muster.gateway.internal.auth;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;

/** The RSA keys of all tests that need some: to make them takes a test JVM seconds. */
public final class RsaKeys {
    static final int BITS = 2048;

    private RsaKeys() {}

    public static KeyPair pair() {
        return Holder.PAIR;
    }

    private static final class Holder {
        static final KeyPair PAIR = make();

        private static KeyPair make() {
            try {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
                generator.initialize(BITS);
                return generator.generateKeyPair();
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
