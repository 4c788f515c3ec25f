package dev.muster.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code [encryption]} section: with which keys the args and results of jobs are encrypted.
 *
 * @param keys AES-256 keys by id, each 32 bytes in base64; never shown. Default: none, nothing is encrypted
 * @param active id of the key that encrypts; may be left out when there is only one. Default: none
 */
public record EncryptionConfig(Map<String, String> keys, Optional<String> active) {

    static final Section SECTION = new Section("encryption");

    static final Setting<Map<String, String>> KEYS = SECTION.secret(
            "keys", ValueType.keys(), Map.of(), "keys for args and results by id, 32 bytes in base64 each");
    static final Setting<Optional<String>> ACTIVE =
            SECTION.optional("active", ValueType.text(), "id of the key that encrypts; the others only decrypt");

    public EncryptionConfig {
        keys = Collections.unmodifiableMap(new LinkedHashMap<>(keys));
    }

    static EncryptionConfig from(Values values) {
        return new EncryptionConfig(values.get(KEYS), values.get(ACTIVE));
    }

    static boolean fits(Optional<String> active, Map<String, String> keys) {
        return active.map(keys::containsKey).orElse(keys.size() < 2);
    }

    static String rule(Map<String, String> keys) {
        return keys.isEmpty() ? "left out, as there are no keys" : "one of " + String.join(", ", keys.keySet());
    }

    /** The id of the key that encrypts, given or the only one; empty: nothing is encrypted. */
    public Optional<String> activeKey() {
        return active.or(() -> keys.keySet().stream().findFirst());
    }

    /** Hides the keys. */
    @Override
    public String toString() {
        return "EncryptionConfig[keys={" + KEYS.type().show(keys) + "}, active=" + active + "]";
    }
}
