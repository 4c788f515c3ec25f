package dev.muster.job;

import dev.muster.config.EncryptionConfig;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Args and results on their way to the store and back; the engine's part of encryption.
 *
 * <p>A value is stored as it is, or in an envelope: an object with the member {@code $muster}, which no value of a
 * user's has at its top when it is stored. One that has is put into an envelope too, also without encryption:
 *
 * <pre>
 *   {"$muster": "aes-gcm-1", "kid": "k1", "data": "…base64…"}      encrypted
 *   {"$muster": "plain", "data": "{\"$muster\": …}"}               a user's value that looks like an envelope
 * </pre>
 */
public final class Payloads {
    private static final String MARK = "$muster";
    private static final String KEY_ID = "kid";
    private static final String DATA = "data";
    private static final String PLAIN = "plain";

    private final PayloadCipher cipher;

    public Payloads(PayloadCipher cipher) {
        this.cipher = cipher;
    }

    /** With the cipher that was handed in, or the keys of the settings, or none. */
    public static Payloads of(@Nullable PayloadCipher given, EncryptionConfig config) {
        if (given == null) {
            return new Payloads(config.activeKey()
                    .map(active -> PayloadCipher.aesGcm(decoded(config), active))
                    .orElseGet(PayloadCipher::none));
        }
        if (!config.keys().isEmpty()) {
            throw new MusterException("payloadCipher(…) and encryption.keys are both given; leave one out");
        }
        return new Payloads(given);
    }

    private static Map<String, byte[]> decoded(EncryptionConfig config) {
        Map<String, byte[]> keys = new HashMap<>();
        config.keys().forEach((id, key) -> keys.put(id, Base64.getDecoder().decode(key)));
        return keys;
    }

    /** What a value is. One cannot be put in the place of the other. */
    public enum Kind {
        ARGS("args"),
        RESULT("result");

        private final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    /** The JSON to be stored for this JSON. */
    public String seal(JobId job, Kind kind, String json) {
        if (cipher.activeKey().isEmpty()) {
            return unmistakable(json);
        }
        PayloadCipher.Sealed sealed;
        try {
            sealed = cipher.encrypt(json.getBytes(StandardCharsets.UTF_8), context(job, kind));
        } catch (RuntimeException e) {
            throw new MusterException(
                    "the " + kind.text + " of job " + job + " could not be encrypted: " + e.getMessage(), e);
        }
        return Jsonb.write(Map.of(
                MARK,
                sealed.scheme(),
                KEY_ID,
                sealed.keyId(),
                DATA,
                Base64.getEncoder().encodeToString(sealed.data())));
    }

    /**
     * The JSON that was sealed, or that was stored as it is.
     *
     * @throws UnreadablePayload if it cannot be decrypted
     */
    public String open(JobId job, Kind kind, String stored) {
        Map<?, ?> envelope = envelope(stored);
        if (envelope == null) {
            return stored;
        }
        if (PLAIN.equals(envelope.get(MARK)) && envelope.get(DATA) instanceof String plain) {
            return plain;
        }
        PayloadCipher.Sealed sealed = sealed(job, kind, envelope);
        try {
            return new String(cipher.decrypt(sealed, context(job, kind)), StandardCharsets.UTF_8);
        } catch (RuntimeException e) {
            throw unreadable(job, kind, sealed.keyId(), String.valueOf(e.getMessage()), e);
        }
    }

    private static PayloadCipher.Sealed sealed(JobId job, Kind kind, Map<?, ?> envelope) {
        if (envelope.get(MARK) instanceof String scheme
                && envelope.get(KEY_ID) instanceof String keyId
                && envelope.get(DATA) instanceof String data) {
            try {
                return new PayloadCipher.Sealed(
                        scheme, keyId, Base64.getDecoder().decode(data));
            } catch (IllegalArgumentException e) {
                throw unreadable(job, kind, "?", "its envelope is damaged: " + e.getMessage(), e);
            }
        }
        throw unreadable(job, kind, "?", "its envelope is none that this version knows", null);
    }

    private static UnreadablePayload unreadable(
            JobId job, Kind kind, String keyId, String why, @Nullable Throwable cause) {
        return new UnreadablePayload(
                keyId, "the " + kind.text + " of job " + job + " cannot be decrypted: " + why, cause);
    }

    private static byte[] context(JobId job, Kind kind) {
        return (job + "/" + kind.text).getBytes(StandardCharsets.UTF_8);
    }

    /** Whether this JSON is an envelope or, before it is stored, looks like one. */
    public static boolean isEnvelope(String json) {
        return envelope(json) != null;
    }

    private static @Nullable Map<?, ?> envelope(String json) {
        // Before jsonb has resolved them, any letter of the member's name may be an escape.
        if (!json.contains(MARK) && !json.contains("\\u")) {
            return null;
        }
        try {
            return Jsonb.read(json) instanceof Map<?, ?> object && object.containsKey(MARK) ? object : null;
        } catch (JsonException e) {
            // Nested deeper than any envelope, on its way in and on its way out.
            return null;
        }
    }

    private static String unmistakable(String json) {
        return isEnvelope(json) ? Jsonb.write(Map.of(MARK, PLAIN, DATA, json)) : json;
    }

    /** What to compare when an idempotency key is used again; null without encryption: the stored args themselves. */
    public @Nullable ArgsFingerprint fingerprint(String name, String key, String args) {
        return cipher.activeKey()
                .map(active -> new ArgsFingerprint(
                        cipher,
                        active,
                        (name + "\0" + key + "\0" + Jsonb.normal(args)).getBytes(StandardCharsets.UTF_8),
                        unmistakable(args)))
                .orElse(null);
    }

    /** The job with its args and result in plain, as far as they can be read here; the rest is left in its envelope. */
    public JobInfo reveal(JobInfo job) {
        String args = revealed(job.id(), Kind.ARGS, job.args());
        Optional<String> result = job.result().map(text -> revealed(job.id(), Kind.RESULT, text));
        return args.equals(job.args()) && result.equals(job.result()) ? job : job.withPayloads(args, result);
    }

    private String revealed(JobId job, Kind kind, String stored) {
        try {
            return open(job, kind, stored);
        } catch (UnreadablePayload e) {
            return stored;
        }
    }
}
