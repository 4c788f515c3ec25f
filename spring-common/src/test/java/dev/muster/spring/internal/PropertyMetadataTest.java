package dev.muster.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.config.MusterConfig;
import dev.muster.config.SettingInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The file from which editors complete {@code muster.*} in {@code application.properties} is made of Muster's own settings. This test makes
 * it and compares; when settings have changed, copy what it has written.
 */
class PropertyMetadataTest {
    private static final Path STORED = Path.of("src/main/resources/META-INF/spring-configuration-metadata.json");
    private static final Path MADE = Path.of("target/spring-configuration-metadata.json");
    private static final Pattern CHOICES = Pattern.compile("(?:\\w+, )*\\w+ or \\w+");

    @Test
    void theStoredFileIsMadeOfTheSettings() throws IOException {
        Files.createDirectories(MADE.getParent());
        Files.writeString(MADE, metadata());
        assertThat(Files.readString(STORED))
                .as("cp spring-common/%s spring-common/%s", MADE, STORED)
                .isEqualTo(metadata());
    }

    private static String metadata() {
        List<String> properties = new ArrayList<>();
        List<String> hints = new ArrayList<>();
        for (StarterProperty property : StarterProperty.values()) {
            properties.add(property(property.key(), property.type(), property.defaultValue(), property.description()));
        }
        hints.add(hint("muster.control-connection", List.of("own", "pool")));
        for (SettingInfo setting : MusterConfig.settings()) {
            String name = name(setting);
            properties.add(property(name, type(setting), setting.defaultValue(), setting.description()));
            choices(setting, name).ifPresent(hints::add);
        }
        return "{\n  \"properties\": [\n" + String.join(",\n", properties) + "\n  ],\n  \"hints\": [\n"
                + String.join(",\n", hints) + "\n  ]\n}\n";
    }

    /** Spring has no way to describe the names of executors, so what belongs to one stands there for the default executor. */
    private static String name(SettingInfo setting) {
        return "muster." + SpringSettings.kebab(setting.key().replace("NAME", "default"));
    }

    /** Values are written as Muster reads them; "30s" is a duration for Spring, too. */
    private static String type(SettingInfo setting) {
        String allowed = setting.allowed();
        if (allowed.equals("true or false")) {
            return "java.lang.Boolean";
        }
        if (allowed.startsWith("a whole number")) {
            return "java.lang.Integer";
        }
        if (allowed.startsWith("a duration")) {
            return "java.time.Duration";
        }
        if (allowed.startsWith("a list")) {
            return "java.util.List<java.lang.String>";
        }
        return allowed.startsWith("a map") ? "java.util.Map<java.lang.String,java.lang.String>" : "java.lang.String";
    }

    private static Optional<String> choices(SettingInfo setting, String name) {
        return CHOICES.matcher(setting.allowed()).matches()
                        && !setting.allowed().equals("true or false")
                ? Optional.of(hint(name, List.of(setting.allowed().split(", | or "))))
                : Optional.empty();
    }

    private static String property(String name, String type, String defaultValue, String description) {
        return "    {\"name\": " + quote(name) + ", \"type\": " + quote(type)
                + (defaultValue.isEmpty() ? "" : ", \"defaultValue\": " + quote(defaultValue))
                + ", \"description\": " + quote(sentence(description)) + "}";
    }

    private static String sentence(String description) {
        return Character.toUpperCase(description.charAt(0)) + description.substring(1) + ".";
    }

    private static String hint(String name, List<String> values) {
        return "    {\"name\": " + quote(name) + ", \"values\": "
                + values.stream()
                        .map(value -> "{\"value\": " + quote(value) + "}")
                        .collect(Collectors.joining(", ", "[", "]"))
                + "}";
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
