package dev.muster.config;

import java.util.Locale;

/**
 * The definition of one setting, from which everything else about it is derived.
 *
 * @param key the section and name, "worker.lease"
 * @param fallback the value when no source gives one
 * @param description what it does, in one line
 * @param secret whether the value must never be shown
 */
record Setting<T>(String key, ValueType<T> type, T fallback, String description, boolean secret) {
    static final String VARIABLE_PREFIX = "MUSTER_";

    /** The environment variable that sets it. */
    String variable() {
        return variable(key);
    }

    static String variable(String key) {
        return VARIABLE_PREFIX + key.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** This setting of a {@link NamedSection} for one of its names. */
    Setting<T> in(String name) {
        return new Setting<>(key.replace(NamedSection.PLACEHOLDER, name), type, fallback, description, secret);
    }

    /** The value for display, hidden if it is a secret. */
    String show(T value) {
        String text = type.show(value);
        return secret && !text.isEmpty() ? Secrets.MASK : Secrets.hide(text);
    }

    /** A given value, whether allowed or not, for messages; hidden if it is a secret. */
    String quote(Object raw) {
        return secret ? Secrets.MASK : Secrets.quote(raw);
    }
}
