package dev.muster.config;

import java.util.Locale;

/**
 * One setting, defined once: everything else about it is derived from here.
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
        return VARIABLE_PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** The value as people may see it. */
    String show(T value) {
        String text = type.show(value);
        return secret && !text.isEmpty() ? Secrets.MASK : Secrets.hide(text);
    }

    /** A value that was given, allowed or not, as people may see it. */
    String quote(Object raw) {
        return secret ? Secrets.MASK : Secrets.quote(raw);
    }
}
