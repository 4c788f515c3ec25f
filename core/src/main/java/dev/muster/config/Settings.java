package dev.muster.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The list of all sections; each setting is defined in the record of its section, such as {@link WorkerConfig}. */
final class Settings {
    static final List<Section> SECTIONS = List.of(
            DatabaseConfig.SECTION,
            NodeConfig.SECTION,
            ClusterConfig.SECTION,
            LeaderConfig.SECTION,
            WorkerConfig.SECTION,
            GatewayConfig.SECTION,
            RateLimitConfig.SECTION,
            SchedulerConfig.SECTION,
            EncryptionConfig.SECTION,
            HistoryConfig.SECTION);

    static final List<Setting<?>> ALL = SECTIONS.stream()
            .<Setting<?>>flatMap(section -> section.settings().stream())
            .toList();

    private static final Map<String, Setting<?>> BY_KEY = index(Setting::key);
    private static final Map<String, Setting<?>> BY_VARIABLE = index(Setting::variable);

    private Settings() {}

    static Optional<Setting<?>> byKey(String key) {
        return Optional.ofNullable(BY_KEY.get(key));
    }

    static Optional<Setting<?>> byVariable(String variable) {
        return Optional.ofNullable(BY_VARIABLE.get(variable));
    }

    static boolean isSection(String name) {
        return sectionNames().contains(name);
    }

    static List<String> sectionNames() {
        return SECTIONS.stream().map(Section::name).toList();
    }

    static List<String> keys() {
        return ALL.stream().<String>map(Setting::key).toList();
    }

    private static Map<String, Setting<?>> index(Function<Setting<?>, String> by) {
        return ALL.stream().collect(Collectors.toUnmodifiableMap(by, Function.identity()));
    }
}
