package dev.muster.job.payload;

import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.MusterException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-256-GCM with a random 96-bit IV and a 128-bit tag; the IV precedes the ciphertext.
 *
 * <p>Each value is encrypted with its own key, derived from the configured key and the value's context: with random IVs, one key
 * may encrypt at most 2³² values, which a busy cluster writes within days.
 */
final class AesGcmCipher implements PayloadCipher {
    static final String SCHEME = "aes-gcm-1";
    static final int KEY_BYTES = 32;

    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final String HMAC = "HmacSHA256";
    private static final byte[] FOR_DATA = utf8("muster aes-gcm-1 data\0");
    private static final byte[] FOR_MAC = utf8("muster aes-gcm-1 mac\0");

    private final Map<String, byte[]> keys = new TreeMap<>();
    private final String active;
    private final SecureRandom random = new SecureRandom();

    AesGcmCipher(Map<String, byte[]> keys, String active) {
        keys.forEach((id, key) -> {
            if (key.length != KEY_BYTES) {
                throw new IllegalArgumentException(
                        "key '" + id + "' has " + key.length + " bytes; " + KEY_BYTES + " are needed");
            }
            this.keys.put(id, key.clone());
        });
        if (!keys.containsKey(active)) {
            throw new IllegalArgumentException("the active key '" + active + "' is none of " + this.keys.keySet());
        }
        this.active = active;
    }

    @Override
    public Optional<String> activeKey() {
        return Optional.of(active);
    }

    @Override
    public Sealed encrypt(byte[] plain, byte[] context) {
        byte[] iv = new byte[IV_BYTES];
        random.nextBytes(iv);
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, active, context, iv).doFinal(plain);
            byte[] data = ByteBuffer.allocate(IV_BYTES + sealed.length)
                    .put(iv)
                    .put(sealed)
                    .array();
            return new Sealed(SCHEME, active, data);
        } catch (GeneralSecurityException e) {
            throw new MusterException("AES-GCM is not usable in this JVM: " + e.getMessage(), e);
        }
    }

    @Override
    public byte[] decrypt(Sealed sealed, byte[] context) {
        if (!sealed.scheme().equals(SCHEME)) {
            throw new UnreadablePayload(
                    sealed.keyId(),
                    "it is encrypted by '" + sealed.scheme() + "', and this process knows only " + SCHEME);
        }
        byte[] data = sealed.data();
        if (data.length < IV_BYTES + TAG_BITS / 8) {
            throw forged(sealed.keyId());
        }
        byte[] iv = Arrays.copyOf(data, IV_BYTES);
        try {
            return cipher(Cipher.DECRYPT_MODE, sealed.keyId(), context, iv)
                    .doFinal(data, IV_BYTES, data.length - IV_BYTES);
        } catch (AEADBadTagException e) {
            throw forged(sealed.keyId());
        } catch (GeneralSecurityException e) {
            throw new MusterException("AES-GCM is not usable in this JVM: " + e.getMessage(), e);
        }
    }

    private static UnreadablePayload forged(String keyId) {
        return new UnreadablePayload(
                keyId,
                "the key '" + keyId + "' of this process does not open it: that is not the key it was encrypted with,"
                        + " or it was changed, or it belongs to another job");
    }

    private Cipher cipher(int mode, String keyId, byte[] context, byte[] iv) throws GeneralSecurityException {
        SecretKeySpec dataKey = new SecretKeySpec(hmac(key(keyId), FOR_DATA, context), "AES");
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, dataKey, new GCMParameterSpec(TAG_BITS, iv));
        cipher.updateAAD(context);
        return cipher;
    }

    @Override
    public byte[] mac(String keyId, byte[] message) {
        try {
            return hmac(hmac(key(keyId), FOR_MAC), message);
        } catch (GeneralSecurityException e) {
            throw new MusterException(HMAC + " is not usable in this JVM: " + e.getMessage(), e);
        }
    }

    private byte[] key(String keyId) {
        byte[] key = keys.get(keyId);
        if (key == null) {
            throw new UnreadablePayload(
                    keyId,
                    "it is encrypted with key '" + keyId + "', which is not among the encryption.keys of this process ("
                            + String.join(", ", keys.keySet()) + ")");
        }
        return key;
    }

    private static byte[] hmac(byte[] key, byte[]... parts) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(HMAC);
        mac.init(new SecretKeySpec(key, HMAC));
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
