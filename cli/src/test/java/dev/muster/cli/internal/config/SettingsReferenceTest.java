package dev.muster.cli.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.Cli;
import dev.muster.config.MusterConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SettingsReferenceTest {

    @Test
    void thePageInTheDocsIsWhatTheSettingsSay() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "settings.md"));

        assertThat(page.strip())
                .as("docs/settings.md is out of date; run: ./muster config docs > docs/settings.md")
                .isEqualTo(Cli.run("config", "docs").done().out().strip());
    }

    @Test
    void everySettingIsThereWithItsVariableAndDefault() {
        String page = Cli.run("config", "docs").done().out();

        assertThat(MusterConfig.settings())
                .allSatisfy(setting ->
                        assertThat(page).contains("| `" + setting.key() + "` | `" + setting.variable() + "` | "));
        assertThat(page)
                .contains("| `worker.lease` | `MUSTER_WORKER_LEASE` | `30s` | a duration from ")
                .contains("- worker.lease must be at least 3 × worker.renew\n");
        assertThat(Cli.run("config", "docs", "-o", "json").done().json().size())
                .isEqualTo(MusterConfig.settings().size());
    }
}
