package dev.muster.job.payload;

import dev.muster.job.UnreadablePayload;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Encrypts the args and results of jobs before they are stored. The built-in one takes its keys from the {@code
 * encryption} settings; implement this to keep keys elsewhere, say in a KMS, and hand it to the builder.
 *
 * <p>Bytes in, bytes out: how values look in the database, and what binds each to its job, is Muster's part. Called on
 * threads that enqueue and threads that run jobs, many at once, once or twice per job; one that calls a remote service
 * had better cache data keys.
 */
public interface PayloadCipher {

    /** Encrypts nothing, and can read nothing that was encrypted. */
    static PayloadCipher none() {
        return NoCipher.INSTANCE;
    }

    /**
     * AES-256 in Galois/Counter mode.
     *
     * @param keys 32 random bytes by key id, every key whose values may still be read
     * @param active the id of the key that encrypts
     */
    static PayloadCipher aesGcm(Map<String, byte[]> keys, String active) {
        return new AesGcmCipher(keys, active);
    }

    /** The id of the key that new values get; empty: new values are stored as they are. */
    Optional<String> activeKey();

    /**
     * Encrypts with the active key.
     *
     * @param context what the value belongs to; {@link #decrypt} must fail if it is given another
     */
    Sealed encrypt(byte[] plain, byte[] context);

    /**
     * Decrypts with the key that the value names.
     *
     * @throws UnreadablePayload if there is no such key, or the value was not made with it, for this context, or was
     *     changed since
     */
    byte[] decrypt(Sealed sealed, byte[] context);

    /**
     * A keyed hash, by which two messages can be told to be the same but not guessed: HMAC-SHA-256 or as strong.
     *
     * @throws UnreadablePayload if there is no such key
     */
    byte[] mac(String keyId, byte[] message);

    /**
     * An encrypted value.
     *
     * @param scheme how it was made, such as "aes-gcm-1": letters, digits and {@code _ . : / -}; not "plain"
     * @param keyId which key opens it: the same characters
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
