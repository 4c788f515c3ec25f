package dev.muster.cli.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class GatewayAddressTest {
    private static final Map<String, String> INHERITED =
            Map.of("MUSTER_SERVER", "https://a.example, https://b.example", "MUSTER_KEY", "inherited");

    @Command
    static final class Some {
        @Mixin
        private SettingsOptions settings;
    }

    private static Optional<SettingsOptions.GatewayAddress> gateway(Map<String, String> environment, String... args) {
        Some command = new Some();
        new CommandLine(command).parseArgs(args);
        return command.settings.gateway(environment);
    }

    @Test
    void optionsWinOverVariables() {
        var inherited = gateway(INHERITED).orElseThrow();
        assertThat(inherited.addresses()).containsExactly("https://a.example", "https://b.example");
        assertThat(inherited.key()).contains("inherited");

        var given = gateway(INHERITED, "--server", "https://c.example", "--api-key", "given")
                .orElseThrow();
        assertThat(given.addresses()).isEqualTo(List.of("https://c.example"));
        assertThat(given.key()).contains("given");
        assertThat(given.toString()).doesNotContain("given");
    }

    @Test
    void aDatabaseOnTheCommandLineWinsOverTheVariable() {
        assertThat(gateway(INHERITED, "--url", "jdbc:postgresql://host/x")).isEmpty();
        assertThat(gateway(Map.of())).isEmpty();
    }
}
