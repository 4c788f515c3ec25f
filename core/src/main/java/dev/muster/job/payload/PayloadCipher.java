package dev.muster.job.payload;

import dev.muster.job.UnreadablePayload;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Encrypts the args and results of jobs before they are stored. The built-in cipher takes its keys from the {@code encryption}
 * settings. To keep keys elsewhere, in a KMS for example, implement this interface and pass it to the builder.
 *
 * <p>A cipher only turns bytes into bytes; Muster decides how values look in the database and what binds each to its job. It is
 * called once or twice per job, by many threads at once that enqueue or run jobs. A cipher that calls a remote service should
 * cache data keys.
 */
public interface PayloadCipher {

    /** A cipher that encrypts nothing and cannot decrypt anything. */
    static PayloadCipher none() {
        return NoCipher.INSTANCE;
    }

    /**
     * A cipher that uses AES-256 in Galois/Counter mode.
     *
     * @param keys the keys by id, 32 random bytes each, including all keys whose values may still be read
     * @param active the id of the key that encrypts
     */
    static PayloadCipher aesGcm(Map<String, byte[]> keys, String active) {
        return new AesGcmCipher(keys, active);
    }

    /** The id of the key that encrypts new values; if empty, new values are stored in plain text. */
    Optional<String> activeKey();

    /**
     * Encrypts with the active key.
     *
     * @param context identifies what the value belongs to; {@link #decrypt} must fail with another context
     */
    Sealed encrypt(byte[] plain, byte[] context);

    /**
     * Decrypts with the key that the value names.
     *
     * @throws UnreadablePayload if there is no such key, if the value was encrypted with another key or for another context, or
     *     if it was changed
     */
    byte[] decrypt(Sealed sealed, byte[] context);

    /**
     * A keyed hash, at least as strong as HMAC-SHA-256: it tells whether two messages are equal, without revealing them.
     *
     * @throws UnreadablePayload if there is no such key
     */
    byte[] mac(String keyId, byte[] message);

    /**
     * An encrypted value.
     *
     * @param scheme how it was encrypted, such as "aes-gcm-1": letters, digits and {@code _ . : / -}; not "plain"
     * @param keyId the key that decrypts it: the same characters
     */
    record Sealed(String scheme, String keyId, byte[] data) {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.:/-]{0,254}");

        public Sealed {
            if (!NAME.matcher(scheme).matches() || !NAME.matcher(keyId).matches()) {
                throw new IllegalArgumentException(
                        "a scheme and a key id hold letters, digits and _ . : / - only, 255 at most");
            }
        }
    }
}
