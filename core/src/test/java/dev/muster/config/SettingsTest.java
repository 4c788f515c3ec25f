package dev.muster.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Catches a setting that was defined but not wired, or wired to the wrong component. */
class SettingsTest {
    private static final List<String> SAMPLES = List.of(
            "portable",
            "true",
            "lease",
            "2m",
            "77",
            "7s",
            "9d",
            "sample",
            "strict",
            "check",
            "worker",
            "never",
            "continue",
            "none",
            "false",
            "key=value",
            "https://ops.example.com",
            "ps256",
            "timeout",
            "k1=" + "A".repeat(43) + "=");

    record Wiring(Section section, Function<Values, Record> from) {
        @Override
        public String toString() {
            return section.name();
        }
    }

    static Stream<Wiring> sections() {
        return Stream.of(
                new Wiring(DatabaseConfig.SECTION, DatabaseConfig::from),
                new Wiring(NodeConfig.SECTION, NodeConfig::from),
                new Wiring(ClusterConfig.SECTION, ClusterConfig::from),
                new Wiring(LeaderConfig.SECTION, LeaderConfig::from),
                new Wiring(WorkerConfig.SECTION, WorkerConfig::from),
                new Wiring(GatewayConfig.SECTION, GatewayConfig::from),
                new Wiring(JwtConfig.SECTION, JwtConfig::from),
                new Wiring(TenantsConfig.SECTION, TenantsConfig::from),
                new Wiring(RateLimitConfig.SECTION, RateLimitConfig::from),
                new Wiring(SchedulerConfig.SECTION, SchedulerConfig::from),
                new Wiring(EncryptionConfig.SECTION, EncryptionConfig::from),
                new Wiring(HistoryConfig.SECTION, HistoryConfig::from),
                new Wiring(RoutingConfig.SECTION, RoutingConfig::from));
    }

    @Test
    void everySectionIsTestedHere() {
        assertThat(sections().map(Wiring::section)).containsExactlyElementsOf(Settings.SECTIONS);
    }

    @ParameterizedTest
    @MethodSource("sections")
    void everySettingHasItsComponentInTheSameOrder(Wiring wiring) {
        Record defaults = wiring.from().apply(Values.defaults());

        assertThat(wiring.section().settings().stream().<String>map(Setting::key))
                .containsExactlyElementsOf(Arrays.stream(defaults.getClass().getRecordComponents())
                        .map(component -> wiring.section().name() + "." + settingOf(component))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("sections")
    void everySettingChangesItsComponentAndNoOther(Wiring wiring) throws Exception {
        Record defaults = wiring.from().apply(Values.defaults());
        for (Setting<?> setting : wiring.section().settings()) {
            Optional<Values> values = changed(setting);
            if (values.isEmpty()) {
                assertThat(setting.key()).as("the only setting with one choice").isEqualTo("cluster.discovery");
                continue;
            }
            Record changed = wiring.from().apply(values.get());
            for (RecordComponent component : defaults.getClass().getRecordComponents()) {
                boolean own = setting.key().endsWith("." + settingOf(component));
                boolean same = component
                        .getAccessor()
                        .invoke(changed)
                        .equals(component.getAccessor().invoke(defaults));
                assertThat(same)
                        .as(setting.key() + " leaves " + component.getName())
                        .isEqualTo(!own);
            }
        }
    }

    @Test
    void everySettingIsDescribedInOneLine() {
        assertThat(MusterConfig.defaults().entries())
                .hasSize(
                        Settings.ALL.size() + ExecutorsConfig.SECTION.settings().size())
                .allSatisfy(entry -> assertThat(entry.description())
                        .isNotBlank()
                        .doesNotContain("\n")
                        .hasSizeLessThan(110));
    }

    @Test
    void entriesComeInTheOrderOfTheSections() {
        assertThat(MusterConfig.defaults().entries())
                .extracting(ConfigEntry::key)
                .startsWith("database.url", "database.username", "database.password")
                .containsSubsequence("history.retain", "history.metrics_retain", "routing.rules", "routing.default")
                .endsWith("executors.default.jobs", "executors.default.memory");
    }

    private static <T> Optional<Values> changed(Setting<T> setting) {
        for (String sample : SAMPLES) {
            try {
                T value = setting.type().parse(sample);
                if (!value.equals(setting.fallback())) {
                    return Optional.of(Values.defaults().with(setting, value, "test"));
                }
            } catch (BadValue next) {
                // another sample will fit
            }
        }
        return Optional.empty();
    }

    private static String settingOf(RecordComponent component) {
        String name = component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        // default is a word of the language and cannot be a component
        return name.equals("default_executor") ? "default" : name;
    }
}
