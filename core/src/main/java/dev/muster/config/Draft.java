package dev.muster.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Settings while sources are read: the values so far and every problem found. */
final class Draft {
    private final List<ConfigProblem> problems = new ArrayList<>();
    private final Set<Setting<?>> bad = new HashSet<>();
    private final Set<String> mentioned = new HashSet<>();
    private Values values;

    Draft(Values values) {
        this.values = values;
    }

    /** Takes a value, or notes why it cannot be taken. With an environment, {@code ${VAR}} is replaced first. */
    <T> void offer(Setting<T> setting, Object raw, String source, @Nullable Map<String, String> environment) {
        Object expanded = raw;
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

    void refuse(String key, String source, String message) {
        problems.add(new ConfigProblem(Optional.of(key), source, message));
    }

    /** Whether a {@code ${VAR}} read so far names this variable. */
    boolean mentions(String variable) {
        return mentioned.contains(variable);
    }

    /** The values, if nothing is wrong with them. A rule is judged only when both its sides could be read. */
    Values finish() {
        values = Profiles.apply(values);
        for (Relation<?, ?> relation : Relation.ALL) {
            if (!bad.contains(relation.left()) && !bad.contains(relation.right())) {
                relation.check(values).ifPresent(problems::add);
            }
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return values;
    }
}
