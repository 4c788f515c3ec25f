package dev.muster.config;

import dev.muster.internal.config.Nearest;
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
        } else if (Settings.namedSectionOf(path).isPresent()) {
            readNamed(Settings.namedSectionOf(path).get(), path, value, draft);
        } else if (value instanceof Map && path.indexOf('.') < 0) {
            String nearest = Nearest.to(path, Settings.sectionNames()).hint(found -> "[" + found + "]");
            draft.refuse(path, name, "[" + path + "] (from " + name + ") is not a section; " + nearest);
        } else {
            refuseUnknown(path, value, draft);
        }
    }

    private void refuseUnknown(String path, Object value, Draft draft) {
        String nearest = Nearest.to(path, Settings.keysLike(path)).hint(found -> found);
        String shown = Secrets.quoteUnknown(path, value);
        draft.refuse(path, name, path + " = " + shown + " (from " + name + ") is not a setting; " + nearest);
    }

    /** Reads what is in a named section and is not one of its settings: a table of settings, or a mistake. */
    private void readNamed(NamedSection section, String path, Object value, Draft draft) {
        String named = section.nameIn(path);
        boolean isTable = path.equals(section.name() + "." + named);
        Optional<String> objection = section.objection(named);
        if (isTable && !(value instanceof Map)) {
            String right = section.isLastPart(named)
                    ? " needs the name of an " + section.one() + ": write it below [" + section.name() + "."
                            + NamedSection.PLACEHOLDER + "]"
                    : " is an " + section.one() + "; write [" + path + "] and its settings below it";
            String shown = Secrets.quoteUnknown(path, value);
            draft.refuse(path, name, path + " = " + shown + " (from " + name + ")" + right);
        } else if (objection.isPresent()) {
            draft.refuse(
                    path,
                    name,
                    path + " (from " + name + ") is for the " + section.one() + " '" + named + "', which "
                            + objection.get());
        } else if (isTable) {
            draft.define(section, named);
            ((Map<?, ?>) value).forEach((key, child) -> read(path + "." + key, child, draft));
        } else {
            refuseUnknown(path, value, draft);
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
                            + ") is a section; write [" + Settings.table(section) + "] and its settings below it");
        }
    }
}
