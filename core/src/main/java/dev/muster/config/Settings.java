package dev.muster.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The lists of all sections. Each setting is defined in the record of its section, such as {@link WorkerConfig}, and that is where a new one
 * begins; the package description says what else it needs.
 */
final class Settings {
    static final List<Section> SECTIONS = List.of(
            DatabaseConfig.SECTION,
            NodeConfig.SECTION,
            ClusterConfig.SECTION,
            LeaderConfig.SECTION,
            WorkerConfig.SECTION,
            GatewayConfig.SECTION,
            JwtConfig.SECTION,
            TenantsConfig.SECTION,
            RateLimitConfig.SECTION,
            SchedulerConfig.SECTION,
            EncryptionConfig.SECTION,
            HistoryConfig.SECTION,
            RoutingConfig.SECTION);

    static final List<NamedSection> NAMED = List.of(ExecutorsConfig.SECTION);

    static final List<Setting<?>> ALL = SECTIONS.stream()
            .<Setting<?>>flatMap(section -> section.settings().stream())
            .toList();

    private static final Map<String, Setting<?>> BY_KEY = index(Setting::key);
    private static final Map<String, Setting<?>> BY_VARIABLE = index(Setting::variable);

    private Settings() {}

    static Optional<Setting<?>> byKey(String key) {
        return Optional.<Setting<?>>ofNullable(BY_KEY.get(key))
                .or(() -> namedSectionOf(key).flatMap(section -> section.byKey(key)));
    }

    static Optional<Setting<?>> byVariable(String variable) {
        return Optional.ofNullable(BY_VARIABLE.get(variable));
    }

    /** The named section that this key is in, known or not: that of "executors.gpu.size" and of "executors.gpu". */
    static Optional<NamedSection> namedSectionOf(String key) {
        return NAMED.stream().filter(section -> section.holds(key)).findFirst();
    }

    static boolean isSection(String name) {
        return sectionNames().contains(name);
    }

    /** The table of the file that holds settings of the section: "worker", "executors.NAME". */
    static String table(String section) {
        return NAMED.stream().anyMatch(named -> named.name().equals(section))
                ? section + "." + NamedSection.PLACEHOLDER
                : section;
    }

    static List<String> sectionNames() {
        return Stream.concat(
                        SECTIONS.stream().map(Section::name), NAMED.stream().map(NamedSection::name))
                .toList();
    }

    /** The keys that an unknown key or variable could mean. */
    static List<String> keysLike(String unknown) {
        Stream<String> named = NAMED.stream().flatMap(section -> section.keysLike(unknown).stream());
        return namedSectionOf(unknown).isPresent()
                ? named.toList()
                : Stream.concat(ALL.stream().<String>map(Setting::key), named).toList();
    }

    private static Map<String, Setting<?>> index(Function<Setting<?>, String> by) {
        return ALL.stream().collect(Collectors.toUnmodifiableMap(by, Function.identity()));
    }
}
