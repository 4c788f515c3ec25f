package dev.muster.config;

import java.util.HashMap;
import java.util.Map;

/** A checked value for every setting, with the source it came from. Immutable. */
final class Values {
    static final String DEFAULT = "default";

    private record Given(Object value, String source) {}

    private final Map<Setting<?>, Given> given;

    private Values(Map<Setting<?>, Given> given) {
        this.given = given;
    }

    static Values defaults() {
        return new Values(Map.of());
    }

    <T> Values with(Setting<T> setting, T value, String source) {
        Map<Setting<?>, Given> changed = new HashMap<>(given);
        changed.put(setting, new Given(value, source));
        return new Values(Map.copyOf(changed));
    }

    /** A copy with this setting back at its default. */
    Values without(Setting<?> setting) {
        Map<Setting<?>, Given> changed = new HashMap<>(given);
        changed.remove(setting);
        return new Values(Map.copyOf(changed));
    }

    @SuppressWarnings("unchecked") // with() is the only way in and ties the value to its setting's type
    <T> T get(Setting<T> setting) {
        Given value = given.get(setting);
        return value == null ? setting.fallback() : (T) value.value();
    }

    String source(Setting<?> setting) {
        Given value = given.get(setting);
        return value == null ? DEFAULT : value.source();
    }

    <T> String show(Setting<T> setting) {
        return setting.show(get(setting));
    }
}
