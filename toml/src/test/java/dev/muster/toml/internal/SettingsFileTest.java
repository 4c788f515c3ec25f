package dev.muster.toml.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.ConfigEntry;
import dev.muster.config.ConfigException;
import dev.muster.config.ConfigSource;
import dev.muster.config.MusterConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsFileTest {
    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void file() {
        file = directory.resolve("muster.toml");
    }

    @Test
    void readsSettings() throws IOException {
        Files.writeString(file, """
                # a node of the shop
                [database]
                url = "jdbc:postgresql://${DB_HOST:-localhost}/shop"
                pool_size = 20

                [node]
                queues = ["orders", "mail"]
                labels = { zone = "eu", rack = 3 }

                [worker]
                lease = "45s"
                prefetch = "auto"
                """);

        MusterConfig config = MusterConfig.load(List.of(ConfigSource.file(file).expanded(Map.of("DB_HOST", "db1"))));

        assertThat(config.database().url()).contains("jdbc:postgresql://db1/shop");
        assertThat(config.database().poolSize()).isEqualTo(20);
        assertThat(config.node().queues()).contains(List.of("orders", "mail"));
        assertThat(config.node().labels()).containsExactly(Map.entry("zone", "eu"), Map.entry("rack", "3"));
        assertThat(config.worker().lease()).hasSeconds(45);
        assertThat(config.entries())
                .filteredOn(entry -> entry.key().equals("worker.lease"))
                .extracting(ConfigEntry::source)
                .containsExactly("muster.toml");
    }

    @Test
    void readsRulesAndExecutorsInTheirOrder() throws IOException {
        Files.writeString(file, """
                [[routing.rules]]
                match = "ml::*"
                executor = "gpu"

                [executors.tiny]

                [[routing.rules]]
                match = "**::${KIND}_*"
                executor = "big-box"

                [executors.gpu]
                size = 2

                [executors.big-box]
                kind = "process"
                size = "auto"
                command = ["sh", "-c", "cat"]
                jobs = ["copy"]
                memory = "512m"
                """);

        MusterConfig config = MusterConfig.load(List.of(
                ConfigSource.file(file).expanded(Map.of("KIND", "heavy")),
                ConfigSource.environment(Map.of("MUSTER_EXECUTORS_BIG_BOX_QUEUE", "0"))));

        assertThat(config.routing().rules()).hasToString("[ml::*=gpu, **::heavy_*=big-box]");
        assertThat(config.executors().byName().keySet()).containsExactly("default", "tiny", "gpu", "big-box");
        assertThat(config.executors().byName().get("gpu").size()).isEqualTo(2);
        assertThat(config.executors().byName().get("big-box").command()).containsExactly("sh", "-c", "cat");
        assertThat(config.executors().byName().get("big-box").queue()).contains(0);
        assertThat(config.executors().byName().get("big-box").memoryBytes()).hasValue(512 << 20);
    }

    @Test
    void anEmptyFileHoldsNoSettings() throws IOException {
        Files.writeString(file, "");

        assertThat(MusterConfig.load(List.of(ConfigSource.file(file)))).isEqualTo(MusterConfig.defaults());
    }

    @Test
    void namesLineAndColumnOfASyntaxError() throws IOException {
        Files.writeString(file, "[worker]\nlease = 30s\n");

        assertThatThrownBy(() -> ConfigSource.file(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(
                        "1 problem in the settings:\n  " + file + ", line 2, column 11, is not valid TOML: ")
                .hasMessageEndingWith("(text and durations go in quotes: lease = \"30s\")");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[worker\nlease = \"30s\"", "lease", "a = \"open", "a = 1\na = 2", "[a]\n[a]\nx = [1,\n"})
    void refusesWhatIsNotToml(String text) throws IOException {
        Files.writeString(file, text);

        assertThatThrownBy(() -> ConfigSource.file(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + ", line ")
                .hasMessageContaining("is not valid TOML: ");
    }

    @Test
    void saysThatAFileIsMissing() {
        assertThatThrownBy(() -> ConfigSource.file(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + " does not exist; create it or name another file");
    }

    @Test
    void saysThatAFileIsNotText() throws IOException {
        Files.write(file, new byte[] {'a', (byte) 0xff, (byte) 0xfe});

        assertThatThrownBy(() -> ConfigSource.file(file))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + " is not UTF-8 text; save it as UTF-8");
    }
}
