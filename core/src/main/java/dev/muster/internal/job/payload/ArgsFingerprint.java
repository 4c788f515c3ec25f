package dev.muster.internal.job.payload;

import dev.muster.internal.runtime.Jsonb;
import dev.muster.job.JobId;
import dev.muster.job.KeyConflict;
import dev.muster.job.UnreadablePayload;
import dev.muster.job.payload.PayloadCipher;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A keyed hash of job name, idempotency key and args. With it a store can tell whether a repeated key comes with the same args,
 * although equal args look different each time they are encrypted. The store keeps {@link #keyId} and {@link #hash} of the job
 * that takes the key, and asks later jobs whether they {@linkplain #matches match}. The same is kept of the input of a run and of the tasks of a
 * graph.
 */
public final class ArgsFingerprint {
    private final PayloadCipher cipher;
    private final @Nullable String keyId;
    private final byte[] message;
    private final String plain;

    /**
     * @param keyId null if nothing is encrypted; then the hash has no key
     * @param plain the args as they would be stored without encryption
     */
    ArgsFingerprint(PayloadCipher cipher, @Nullable String keyId, byte[] message, String plain) {
        this.cipher = cipher;
        this.keyId = keyId;
        this.message = message;
        this.plain = plain;
    }

    /** The encryption key that the hash was made with; null if there is none. */
    public @Nullable String keyId() {
        return keyId;
    }

    /** The hash, in hexadecimal. */
    public String hash() {
        return keyId == null ? plainHash() : hash(keyId);
    }

    private String hash(String otherKey) {
        return HexFormat.of().formatHex(cipher.mac(otherKey, message));
    }

    /**
     * Whether the job that holds the idempotency key has the same args.
     *
     * @param heldKeyId the encryption key of that job's hash; null if the job was stored in plain text, in which case the hash is
     *     the SHA-256 of its args as PostgreSQL's jsonb prints them
     * @throws UnreadablePayload if this process does not have that encryption key
     */
    public boolean matches(@Nullable String heldKeyId, String heldHash) {
        return (heldKeyId == null ? plainHash() : hash(heldKeyId)).equals(heldHash);
    }

    /**
     * Does nothing if what holds the key was asked for with the same.
     *
     * @param holder in words: {@code key 'k' of workflow 'w' already stands for run …}
     * @throws KeyConflict if it was not, or if that cannot be told here
     */
    public void requireSame(@Nullable String heldKeyId, String heldHash, String holder, JobId existing) {
        try {
            if (!matches(heldKeyId, heldHash)) {
                throw new KeyConflict(
                        holder + ", which was asked for with something else; use another key, or the same request",
                        existing);
            }
        } catch (UnreadablePayload e) {
            throw new KeyConflict(
                    holder + ", which cannot be compared here: it was encrypted with key '" + e.keyId()
                            + "'; add it to encryption.keys",
                    existing,
                    e);
        }
    }

    private String plainHash() {
        try {
            byte[] text = Jsonb.normal(plain).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
