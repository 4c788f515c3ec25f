package dev.muster.config;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Nested maps: sections, then names. */
final class TreeSource extends ConfigSource {
    private final String name;
    private final Map<String, ?> tree;
    private final @Nullable Map<String, String> environment;

    TreeSource(String name, Map<String, ?> tree, @Nullable Map<String, String> environment) {
        this.name = name;
        this.tree = tree;
        this.environment = environment;
    }

    @Override
    public ConfigSource expanded(Map<String, String> environment) {
        return new TreeSource(name, tree, Map.copyOf(environment));
    }

    @Override
    void readInto(Draft draft) {
        tree.forEach((key, value) -> read(key, value, draft));
    }

    private void read(String path, Object value, Draft draft) {
        Optional<Setting<?>> setting = Settings.byKey(path);
        if (setting.isPresent()) {
            draft.offer(setting.get(), value, name, environment);
        } else if (Settings.isSection(path)) {
            readSection(path, value, draft);
        } else if (value instanceof Map && path.indexOf('.') < 0) {
            String nearest = Nearest.to(path, Settings.sectionNames()).hint(found -> "[" + found + "]");
            draft.refuse(path, name, "[" + path + "] (from " + name + ") is not a section; " + nearest);
        } else {
            String nearest = Nearest.to(path, Settings.keys()).hint(found -> found);
            String shown = Secrets.quoteUnknown(path, value);
            draft.refuse(path, name, path + " = " + shown + " (from " + name + ") is not a setting; " + nearest);
        }
    }

    private void readSection(String section, Object value, Draft draft) {
        if (value instanceof Map<?, ?> entries) {
            entries.forEach((key, child) -> read(section + "." + key, child, draft));
        } else {
            draft.refuse(
                    section,
                    name,
                    section + " = " + Secrets.quoteUnknown(section, value) + " (from " + name
                            + ") is a section; write [" + section + "] and its settings below it");
        }
    }
}
