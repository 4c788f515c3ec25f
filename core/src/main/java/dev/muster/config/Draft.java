package dev.muster.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings while sources are being read: the values so far and all problems found. */
final class Draft {
    private final List<ConfigProblem> problems = new ArrayList<>();
    private final Set<Setting<?>> bad = new HashSet<>();
    private final Set<String> mentioned = new HashSet<>();
    private Values values;

    Draft(Values values) {
        this.values = values;
    }

    /** Accepts a value, or records why it is not allowed. If there is an environment, {@code ${VAR}} is replaced first. */
    <T> void offer(Setting<T> setting, Object raw, String source, @Nullable Map<String, String> environment) {
        Object expanded = raw;
        Settings.namedSectionOf(setting.key()).ifPresent(section -> define(section, section.nameIn(setting.key())));
        try {
            if (environment != null) {
                expanded = new Expansion(environment, mentioned).expand(raw);
            }
            values = values.with(setting, setting.type().parse(expanded), source);
            bad.remove(setting);
        } catch (BadValue reason) {
            bad.add(setting);
            refuse(
                    setting.key(),
                    source,
                    setting.key() + " = " + setting.quote(expanded) + " (from " + source + ") " + reason.reason()
                            + "; allowed: " + setting.type().allowed());
        }
    }

    /** Records that a source uses this name, even if none of its settings is given. */
    void define(NamedSection section, String name) {
        values = values.withName(section, name);
    }

    /** The names that exist so far. */
    List<String> names(NamedSection section) {
        return values.names(section);
    }

    void refuse(String key, String source, String message) {
        problems.add(new ConfigProblem(Optional.of(key), source, message));
    }

    /** Whether a value read so far contains {@code ${VAR}} with this variable. */
    boolean mentions(String variable) {
        return mentioned.contains(variable);
    }

    /** Returns the values if there is no problem. A rule is checked only if its settings could be read. */
    Values finish() {
        values = Profiles.apply(values);
        for (SettingCheck check : SettingCheck.all()) {
            problems.addAll(check.problems(values, setting -> !bad.contains(setting)));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return values;
    }
}
