package dev.muster.internal.job.payload;

import dev.muster.config.ConfigException;
import dev.muster.config.ConfigProblem;
import dev.muster.config.EncryptionConfig;
import dev.muster.internal.runtime.Jsonb;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.UnreadablePayload;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts and decrypts args and results between the engine and the store.
 *
 * <p>A value is stored as it is or in an envelope, which is an object with the member {@code $muster}. A user's value that itself
 * has this member at the top is put into an envelope too, even without encryption:
 *
 * <pre>
 *   {"$muster": "aes-gcm-1", "kid": "k1", "data": "…base64…"}      encrypted
 *   {"$muster": "plain", "data": "{\"$muster\": …}"}               a user's value that looks like an envelope
 *   {"$muster": "graph", "graph": "…", "task": "…"}               args of a graph's task, which a node assembles
 *   {"$muster": "left out: …"}                                    never stored: stands in a long list for a value without room
 *   {"$muster": "too large: …"}                                   never stored: stands for a value that is too large to be read
 * </pre>
 */
public final class Payloads {
    private static final String MARK = "$muster";
    private static final String KEY_ID = "kid";
    private static final String DATA = "data";
    private static final String PLAIN = "plain";
    private static final String GRAPH = "graph";

    private static final String NO_ARGS = "null";

    private final PayloadCipher cipher;
    private final boolean required;

    public Payloads(PayloadCipher cipher) {
        this(cipher, false);
    }

    private Payloads(PayloadCipher cipher, boolean required) {
        this.cipher = cipher;
        this.required = required;
    }

    /**
     * Uses the given cipher, or the keys in the settings, or no encryption.
     *
     * @throws ConfigException if {@code encryption.required} is true and there is no key
     * @throws MusterException if a cipher is given and the settings have keys too
     */
    public static Payloads of(@Nullable PayloadCipher given, EncryptionConfig config) {
        if (given != null && !config.keys().isEmpty()) {
            throw new MusterException("payloadCipher(…) and encryption.keys are both given; leave one out");
        }
        if (given == null && config.keys().isEmpty() && config.required()) {
            throw noKey("encryption.required is true, but there is no key: set encryption.keys"
                    + " (MUSTER_ENCRYPTION_KEYS), or hand a payloadCipher(…) to the builder");
        }
        if (given != null && given.activeKey().isEmpty() && config.required()) {
            throw noKey("encryption.required is true, but the payloadCipher(…) that was handed to the builder has no"
                    + " active key, so it encrypts nothing");
        }
        PayloadCipher cipher = given != null
                ? given
                : config.activeKey()
                        .map(active -> PayloadCipher.aesGcm(decoded(config), active))
                        .orElseGet(PayloadCipher::none);
        return new Payloads(cipher, config.required());
    }

    private static ConfigException noKey(String message) {
        return new ConfigException(List.of(new ConfigProblem(Optional.of("encryption.keys"), "default", message)));
    }

    private static Map<String, byte[]> decoded(EncryptionConfig config) {
        Map<String, byte[]> keys = new HashMap<>();
        config.keys().forEach((id, key) -> keys.put(id, Base64.getDecoder().decode(key)));
        return keys;
    }

    /** The kind of a value. An encrypted value cannot be used as one of another kind. */
    public enum Kind {
        ARGS("args"),
        RESULT("result"),
        /** The result of a workflow's step; its position is the step's path. */
        STEP("step"),
        /** The args of a compensation; their position is the step's path. */
        COMPENSATION("compensation"),
        /** The payload of an event; its position is the event's name. */
        EVENT("event"),
        /** The inputs of a task of a graph; their position is the task's id. */
        INPUTS("inputs");

        private final String text;

        Kind(String text) {
            this.text = text;
        }

        /** Its name in sentences. */
        public String text() {
            return text;
        }
    }

    /** Turns a job's JSON into what is stored. */
    public String seal(JobId job, Kind kind, StorableJson json) {
        return seal(job, words(job, kind), kind, json);
    }

    /**
     * Turns a value of a workflow's run, or of a graph, into what is stored.
     *
     * @param position where in the run the value belongs; it cannot be used elsewhere
     */
    public String seal(JobId run, Kind kind, String position, StorableJson json) {
        return seal(position(run, position), words(run, kind, position), kind, json);
    }

    /**
     * Turns a stored value of a workflow's run, or of a graph, back into JSON.
     *
     * @throws UnreadablePayload if it cannot be decrypted
     */
    public String open(JobId run, Kind kind, String position, String stored) {
        return open(position(run, position), words(run, kind, position), kind, stored);
    }

    private static String position(JobId run, String position) {
        return run + "/" + position;
    }

    private static Supplier<String> words(JobId run, Kind kind, String position) {
        return kind == Kind.INPUTS
                ? () -> "the inputs of task '" + position + "' of graph " + run
                : () -> "the " + kind.text + " '" + position + "' of run " + run;
    }

    /**
     * Turns a cron's args into what is stored.
     *
     * @param id the id that the args are bound to, instead of a job's id
     */
    public String sealCron(JobId id, String cron, StorableJson json) {
        return seal(id, words(cron), Kind.ARGS, json);
    }

    /** What error messages call a value. It is a supplier, so that the text is built only if it is needed. */
    private static Supplier<String> words(JobId job, Kind kind) {
        return () -> "the " + kind.text + " of job " + job;
    }

    private static Supplier<String> words(String cron) {
        return () -> "the args of cron '" + cron + "'";
    }

    private String seal(Object id, Supplier<String> what, Kind kind, StorableJson value) {
        if (value.isTooLarge()) {
            throw new JsonException(
                    what.get() + " would have " + value.bytes() + " bytes; at most " + StorableJson.MAX_BYTES
                            + " are allowed",
                    null);
        }
        String json = value.text();
        if (cipher.activeKey().isEmpty()) {
            if (required) {
                throw new MusterException(
                        what.get() + " must not be stored in plain text, because encryption.required is true;"
                                + " the PayloadCipher has no active key");
            }
            return unmistakable(json);
        }
        PayloadCipher.Sealed sealed;
        try {
            sealed = cipher.encrypt(json.getBytes(StandardCharsets.UTF_8), context(id, kind));
        } catch (RuntimeException e) {
            throw new MusterException(what.get() + " could not be encrypted: " + e.getMessage(), e);
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
     * Turns what is stored back into JSON.
     *
     * @throws UnreadablePayload if it cannot be decrypted
     */
    public String open(JobId job, Kind kind, String stored) {
        return open(job, words(job, kind), kind, stored);
    }

    /**
     * The args of a job that is about to run. Unlike args that are only shown, they must be encrypted if {@code
     * encryption.required} is true, unless there are none.
     *
     * @throws UnreadablePayload if they cannot be decrypted, or are in plain text and must not be
     * @throws JsonException if they are {@linkplain TooLarge too large} to be read, which no other node can change
     */
    public String openToRun(JobId job, String stored) {
        return openToUse(job, words(job, Kind.ARGS), Kind.ARGS, stored);
    }

    /**
     * A value of a workflow's run that is about to be used; see {@link #openToRun(JobId, String)}.
     *
     * @throws UnreadablePayload if it cannot be decrypted, or is in plain text and must not be
     */
    public String openToRun(JobId run, Kind kind, String position, String stored) {
        return openToUse(position(run, position), words(run, kind, position), kind, stored);
    }

    /**
     * A value of another job that becomes a part of a job's args; see {@link #openToRun(JobId, String)}.
     *
     * @throws UnreadablePayload if it cannot be decrypted, or is in plain text and must not be
     */
    public String openToRun(JobId job, Kind kind, String stored) {
        return openToUse(job, words(job, kind), kind, stored);
    }

    /**
     * The args of a cron whose job is about to be enqueued; see {@link #openToRun}.
     *
     * @throws UnreadablePayload if they cannot be decrypted, or are in plain text and must not be
     */
    public String openCron(JobId id, String cron, String stored) {
        return openToUse(id, words(cron), Kind.ARGS, stored);
    }

    /**
     * The args of a cron that is shown or changed.
     *
     * @throws UnreadablePayload if they cannot be decrypted
     */
    public String readCron(JobId id, String cron, String stored) {
        return open(id, words(cron), Kind.ARGS, stored);
    }

    private String openToUse(Object id, Supplier<String> what, Kind kind, String stored) {
        if (TooLarge.is(stored)) {
            throw new JsonException(what.get() + " cannot be read: " + TooLarge.WHY, null);
        }
        if (required && !stored.equals(NO_ARGS) && !isEncrypted(stored)) {
            throw new UnreadablePayload(
                    PLAIN, what.get() + " are stored in plain text, which encryption.required does not allow here");
        }
        return open(id, what, kind, stored);
    }

    private static boolean isEncrypted(String stored) {
        Map<?, ?> envelope = envelope(stored);
        return envelope != null && !PLAIN.equals(envelope.get(MARK));
    }

    private String open(Object id, Supplier<String> what, Kind kind, String stored) {
        Map<?, ?> envelope = TooLarge.is(stored) ? null : envelope(stored);
        if (envelope == null) {
            return stored;
        }
        if (PLAIN.equals(envelope.get(MARK)) && envelope.get(DATA) instanceof String plain) {
            return plain;
        }
        PayloadCipher.Sealed sealed = sealed(what, envelope);
        try {
            return new String(cipher.decrypt(sealed, context(id, kind)), StandardCharsets.UTF_8);
        } catch (RuntimeException e) {
            throw unreadable(what, sealed.keyId(), String.valueOf(e.getMessage()), e);
        }
    }

    private static PayloadCipher.Sealed sealed(Supplier<String> what, Map<?, ?> envelope) {
        if (envelope.get(MARK) instanceof String scheme
                && envelope.get(KEY_ID) instanceof String keyId
                && envelope.get(DATA) instanceof String data) {
            try {
                return new PayloadCipher.Sealed(
                        scheme, keyId, Base64.getDecoder().decode(data));
            } catch (IllegalArgumentException e) {
                throw unreadable(what, "?", "its envelope is damaged: " + e.getMessage(), e);
            }
        }
        throw unreadable(what, "?", "its envelope is none that this version knows", null);
    }

    private static UnreadablePayload unreadable(
            Supplier<String> what, String keyId, String why, @Nullable Throwable cause) {
        return new UnreadablePayload(keyId, what.get() + " cannot be decrypted: " + why, cause);
    }

    private static byte[] context(Object job, Kind kind) {
        return (job + "/" + kind.text).getBytes(StandardCharsets.UTF_8);
    }

    /** Whether this JSON is an envelope or, if it is a user's value, looks like one. */
    public static boolean isEnvelope(String json) {
        return envelope(json) != null;
    }

    /**
     * Whether these stored args say that the job is a task of a graph: {@code {"$muster": "graph", "graph": …, "task": …}}. Its args are
     * then assembled from the graph.
     */
    public static boolean isTask(String stored) {
        Map<?, ?> envelope = envelope(stored);
        return envelope != null && GRAPH.equals(envelope.get(MARK));
    }

    private static @Nullable Map<?, ?> envelope(String json) {
        // Until jsonb has resolved escapes, any letter of the member's name may be written as one.
        if (!json.contains(MARK) && !json.contains("\\u")) {
            return null;
        }
        try {
            return Jsonb.read(json) instanceof Map<?, ?> object && object.containsKey(MARK) ? object : null;
        } catch (JsonException e) {
            // The value is nested more deeply than any envelope.
            return null;
        }
    }

    private static String unmistakable(String json) {
        return isEnvelope(json) ? Jsonb.write(Map.of(MARK, PLAIN, DATA, json)) : json;
    }

    /** What is compared when an idempotency key is used again; null without encryption, when the stored args are compared. */
    public @Nullable ArgsFingerprint fingerprint(String name, String key, String args) {
        return cipher.activeKey()
                .map(active -> new ArgsFingerprint(
                        cipher,
                        active,
                        (name + "\0" + key + "\0" + Jsonb.normal(args)).getBytes(StandardCharsets.UTF_8),
                        unmistakable(args)))
                .orElse(null);
    }

    /**
     * What is compared when the key of a run or a graph is used again.
     *
     * @param owner whose keys these are, such as those of a workflow
     * @param content JSON: the input of the run, or the tasks of the graph
     */
    public ArgsFingerprint contentFingerprint(String owner, String key, String content) {
        return new ArgsFingerprint(
                cipher,
                cipher.activeKey().orElse(null),
                (owner + "\0" + key + "\0" + Jsonb.normal(content)).getBytes(StandardCharsets.UTF_8),
                content);
    }

    /** The job with its args and result decrypted, as far as this process has the keys; otherwise they stay in their envelope. */
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
