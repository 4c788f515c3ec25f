package dev.muster.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A checked value for every setting, with the source it came from. Immutable. */
final class Values {
    static final String DEFAULT = "default";

    private record Given(Object value, String source) {}

    private final Map<Setting<?>, Given> given;

    private final Map<NamedSection, List<String>> names;

    private Values(Map<Setting<?>, Given> given, Map<NamedSection, List<String>> names) {
        this.given = given;
        this.names = names;
    }

    static Values defaults() {
        return new Values(Map.of(), Map.of());
    }

    <T> Values with(Setting<T> setting, T value, String source) {
        Map<Setting<?>, Given> changed = new HashMap<>(given);
        changed.put(setting, new Given(value, source));
        return new Values(Map.copyOf(changed), names);
    }

    /** A copy with this setting back at its default. */
    Values without(Setting<?> setting) {
        Map<Setting<?>, Given> changed = new HashMap<>(given);
        changed.remove(setting);
        return new Values(Map.copyOf(changed), names);
    }

    /** A copy in which the section has this name. */
    Values withName(NamedSection section, String name) {
        List<String> known = names(section);
        if (known.contains(name)) {
            return this;
        }
        Map<NamedSection, List<String>> changed = new HashMap<>(names);
        changed.put(section, Stream.concat(known.stream(), Stream.of(name)).toList());
        return new Values(given, Map.copyOf(changed));
    }

    /** The names of the section: first those that always exist, then the others in the order in which sources used them. */
    List<String> names(NamedSection section) {
        return names.getOrDefault(section, section.always());
    }

    /** All settings, those of each name included, by section. */
    List<Setting<?>> settings() {
        List<Setting<?>> settings = new ArrayList<>(Settings.ALL);
        for (NamedSection section : Settings.NAMED) {
            names(section).forEach(name -> settings.addAll(section.settings(name)));
        }
        return settings;
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
