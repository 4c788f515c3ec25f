package dev.muster.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code [encryption]} section: the keys that encrypt the args and results of jobs.
 *
 * @param keys AES-256 keys by id, each 32 bytes in base64; never shown. Default: none, so that nothing is encrypted
 * @param active id of the key that encrypts; may be left out if there is only one. Default: none
 * @param required whether plain text is forbidden: a Muster without keys is not built, and jobs and crons whose args were
 *     stored in plain text are not run. Default: false
 */
public record EncryptionConfig(Map<String, String> keys, Optional<String> active, boolean required) {

    static final Section SECTION = new Section("encryption");

    static final Setting<Map<String, String>> KEYS = SECTION.secret(
            "keys", ValueType.keys(), Map.of(), "keys for args and results by id, 32 bytes in base64 each");
    static final Setting<Optional<String>> ACTIVE =
            SECTION.optional("active", ValueType.text(), "id of the key that encrypts; the others only decrypt");
    static final Setting<Boolean> REQUIRED = SECTION.setting(
            "required",
            ValueType.trueOrFalse(),
            "false",
            "refuse to start without keys, and to run jobs and crons whose args are stored in plain text");

    public EncryptionConfig {
        keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
    }

    static EncryptionConfig from(Values values) {
        return new EncryptionConfig(values.get(KEYS), values.get(ACTIVE), values.get(REQUIRED));
    }

    static boolean fits(Optional<String> active, Map<String, String> keys) {
        return active.map(keys::containsKey).orElse(keys.size() < 2);
    }

    static String rule(Map<String, String> keys) {
        return keys.isEmpty() ? "left out, as there are no keys" : "one of " + String.join(", ", keys.keySet());
    }

    /** The id of the key that encrypts: the active one, or the only one. Empty if nothing is encrypted. */
    public Optional<String> activeKey() {
        return active.or(() -> keys.keySet().stream().findFirst());
    }

    /** Hides the keys. */
    @Override
    public String toString() {
        return "EncryptionConfig[keys={" + KEYS.type().show(keys) + "}, active=" + active + ", required=" + required
                + "]";
    }
}
