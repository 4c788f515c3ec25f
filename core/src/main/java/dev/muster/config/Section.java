package dev.muster.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A named group of settings. Settings defined through it are added to it, while the class of the section's record loads. */
final class Section {
    private final String name;
    private final List<Setting<?>> settings = new ArrayList<>();

    Section(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** The settings in the order they were defined. */
    List<Setting<?>> settings() {
        return Collections.unmodifiableList(settings);
    }

    /** A setting that always has a value; the default is written as in an environment variable. */
    <T> Setting<T> setting(String key, ValueType<T> type, String fallback, String description) {
        try {
            return add(key, type, type.parse(fallback), description, false);
        } catch (BadValue bad) {
            throw new IllegalStateException("the default of " + name + "." + key + " " + bad.reason(), bad);
        }
    }

    /** A setting that is absent until it is given. */
    <T> Setting<Optional<T>> optional(String key, ValueType<T> type, String description) {
        return add(key, ValueType.optional(type, null), Optional.empty(), description, false);
    }

    /** A setting that is absent until it is given, and that "none" makes absent again. */
    <T> Setting<Optional<T>> optionalOrNone(String key, ValueType<T> type, String description) {
        return add(key, ValueType.optional(type, "none"), Optional.empty(), description, false);
    }

    /** A setting whose value Muster chooses itself if it is left out or "auto". */
    <T> Setting<Optional<T>> automatic(String key, ValueType<T> type, String description) {
        return add(key, ValueType.optional(type, "auto"), Optional.empty(), description, false);
    }

    /** An optional text that is never shown; empty text means absent. */
    Setting<Optional<String>> secret(String key, String description) {
        return add(key, ValueType.optional(ValueType.verbatim(), ""), Optional.empty(), description, true);
    }

    /** A setting that is never shown and always has a value. */
    <T> Setting<T> secret(String key, ValueType<T> type, T fallback, String description) {
        return add(key, type, fallback, description, true);
    }

    private <T> Setting<T> add(String key, ValueType<T> type, T fallback, String description, boolean secret) {
        Setting<T> setting = new Setting<>(name + "." + key, type, fallback, description, secret);
        settings.add(setting);
        return setting;
    }
}
