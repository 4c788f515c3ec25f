package dev.muster.config;

import dev.muster.internal.config.Nearest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A section that holds the same settings once for each name: {@code [executors.gpu] size} is {@code executors.gpu.size} and
 * {@code MUSTER_EXECUTORS_GPU_SIZE}. A name exists when a source uses it. The settings are defined for the name {@value
 * #PLACEHOLDER}, under which the reference lists them.
 */
final class NamedSection {
    /** Stands for a name in the keys of {@link #settings}. No name has capital letters. */
    static final String PLACEHOLDER = "NAME";

    private static final int STEPS_OF_A_MISSPELT_SECTION = 2;

    private final String name;
    private final String one;
    private final ValueType<String> nameType;
    private final List<String> always;
    private final Section each;

    /**
     * @param one what messages call one of the named: "executor"
     * @param nameType the rules for names
     * @param always the names that exist even if no source uses them
     */
    NamedSection(String name, String one, ValueType<String> nameType, List<String> always) {
        this.name = name;
        this.one = one;
        this.nameType = nameType;
        this.always = always;
        this.each = new Section(name + "." + PLACEHOLDER);
    }

    String name() {
        return name;
    }

    String one() {
        return one;
    }

    List<String> always() {
        return always;
    }

    /** Defines the settings that each name has. */
    Section each() {
        return each;
    }

    /** The settings as they are defined, with the placeholder as their name. */
    List<Setting<?>> settings() {
        return each.settings();
    }

    List<Setting<?>> settings(String of) {
        return settings().stream().<Setting<?>>map(setting -> setting.in(of)).toList();
    }

    List<String> keys(String of) {
        return settings(of).stream().<String>map(Setting::key).toList();
    }

    /** Whether the key is in this section, known or not. */
    boolean holds(String key) {
        return key.startsWith(name + ".");
    }

    /** The name in a key of this section: "gpu" in "executors.gpu.size" and in "executors.gpu". */
    String nameIn(String key) {
        String rest = key.substring(name.length() + 1);
        int dot = rest.indexOf('.');
        return dot < 0 ? rest : rest.substring(0, dot);
    }

    /** Why this cannot be a name, in a phrase that follows the name. */
    Optional<String> objection(String candidate) {
        try {
            nameType.parse(candidate);
            return Optional.empty();
        } catch (BadValue bad) {
            return Optional.of(bad.reason() + "; allowed: " + nameType.allowed());
        }
    }

    Optional<Setting<?>> byKey(String key) {
        return holds(key) && objection(nameIn(key)).isEmpty()
                ? find(settings(nameIn(key)), setting -> setting.key().equals(key))
                : Optional.empty();
    }

    /** Whether this is the last part of the keys of this section: "size". */
    boolean isLastPart(String part) {
        return settings().stream().anyMatch(setting -> setting.key().endsWith("." + part));
    }

    /**
     * The setting of a variable; its name may be one that is not allowed. A variable cannot have '-', so it belongs to a known name that has
     * '-' where the variable has '_'.
     */
    Optional<Setting<?>> byVariable(String variable, List<String> known) {
        String begin = Setting.VARIABLE_PREFIX + name.toUpperCase(Locale.ROOT) + "_";
        for (Setting<?> setting : settings()) {
            String end = setting.variable().substring(begin.length() + PLACEHOLDER.length());
            if (variable.startsWith(begin)
                    && variable.endsWith(end)
                    && variable.length() > begin.length() + end.length()
                    && variable.equals(variable.toUpperCase(Locale.ROOT))) {
                String written = variable.substring(begin.length(), variable.length() - end.length())
                        .toLowerCase(Locale.ROOT);
                return Optional.of(setting.in(meant(written, known)));
            }
        }
        return Optional.empty();
    }

    private static String meant(String written, List<String> known) {
        return known.contains(written)
                ? written
                : known.stream()
                        .filter(candidate -> candidate.replace('-', '_').equals(written))
                        .findFirst()
                        .orElse(written);
    }

    /** The keys that an unknown key or variable of a similar section could mean, with the name that it has in the middle. */
    List<String> keysLike(String unknown) {
        boolean isVariable = unknown.indexOf('.') < 0;
        String[] parts = unknown.toLowerCase(Locale.ROOT).split(isVariable ? "_" : "\\.", isVariable ? 0 : 3);
        if (parts.length == 0 || Nearest.edits(parts[0], name) > STEPS_OF_A_MISSPELT_SECTION) {
            return List.of();
        }
        return keys(
                parts.length < 3 ? PLACEHOLDER : String.join("_", List.of(parts).subList(1, parts.length - 1)));
    }

    private static Optional<Setting<?>> find(List<Setting<?>> settings, Predicate<Setting<?>> wanted) {
        return settings.stream().filter(wanted).findFirst();
    }
}
