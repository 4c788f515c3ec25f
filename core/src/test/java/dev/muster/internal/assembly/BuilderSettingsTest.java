package dev.muster.internal.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.config.ConfigException;
import dev.muster.config.MusterConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class BuilderSettingsTest {
    private static final String KEY = "bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";

    private final BuilderSettings settings = new BuilderSettings();

    @TempDir
    Path directory;

    @Test
    void theEnvironmentIsReadAndCodeWins() {
        settings.set("node.id", "from-code");

        MusterConfig read = settings.read(
                Map.of("MUSTER_NODE_ID", "from-environment", "MUSTER_NODE_NAME", "shop", "MUSTER_WORKER_LEASE", "45s"),
                directory);

        assertThat(read.node().id()).contains("from-code");
        assertThat(read.node().name()).contains("shop");
        assertThat(read.worker().lease()).isEqualTo(Duration.ofSeconds(45));
    }

    @Test
    void executorsAndRulesAreSetInCodeToo() {
        settings.set("routing.rules", "ml::*=gpu");
        settings.set("executors.gpu.size", "2");

        MusterConfig read = settings.read(Map.of("MUSTER_EXECUTORS_GPU_QUEUE", "0"), directory);

        assertThat(read.executors().byName().get("gpu").size()).isEqualTo(2);
        assertThat(read.executors().byName().get("gpu").queue()).contains(0);
        assertThat(read.routing().rules()).hasSize(1);
    }

    @Test
    void aConfigThatWasHandedInIsAllThereIs() throws IOException {
        Files.writeString(directory.resolve("muster.toml"), "not TOML at all");
        settings.startFrom(MusterConfig.defaults().with("node.name", "shop"));

        MusterConfig read = settings.read(Map.of("MUSTER_NODE_ID", "x", "MUSTER_NO_SETTING", "x"), directory);

        assertThat(read).isEqualTo(MusterConfig.defaults().with("node.name", "shop"));
    }

    @Test
    void singleSettingsStandWhetherTheyComeBeforeOrAfterTheConfig() {
        settings.set("node.id", "before");
        settings.startFrom(MusterConfig.defaults().with("node.id", "config"));
        settings.set("worker.concurrency", "3");

        MusterConfig read = settings.read(Map.of(), directory);

        assertThat(read.node().id()).contains("before");
        assertThat(read.worker().concurrency()).isEqualTo(3);
    }

    @Test
    void settingsThatDependOnEachOtherMaySetOneByOne() {
        settings.set("worker.lease", "3s");
        settings.set("worker.renew", "1s");
        settings.set("worker.sweep_interval", "500ms");

        assertThat(settings.read(Map.of(), directory).worker().lease()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void problemsOfAllSourcesAreListedTogether() {
        settings.set("worker.leese", "3s");

        assertThatThrownBy(() -> settings.read(Map.of("MUSTER_WORKER_CONCURRENCY", "none"), directory))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("MUSTER_WORKER_CONCURRENCY")
                .hasMessageContaining("worker.leese");
    }

    /** This module has no reader of TOML on its classpath. */
    @Test
    void aSettingsFileThatNobodyCanReadIsAnErrorAndNotIgnored() throws IOException {
        Path file = Files.writeString(directory.resolve("muster.toml"), "[node]\nid = \"x\"\n");

        assertThatThrownBy(() -> settings.read(Map.of(), directory))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(file + " cannot be read, because there is no TomlReader on the classpath")
                .hasMessageContaining("add muster-toml");
        assertThatThrownBy(() -> settings.read(Map.of("MUSTER_CONFIG", "other.toml"), directory))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(directory.resolve("other.toml") + " does not exist");
    }

    @Test
    void aSettingsFileThatIsALinkToNowhereIsAnErrorAndNotIgnored() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("muster.toml"), directory.resolve("gone.toml"));

        assertThatThrownBy(() -> settings.read(Map.of(), directory))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(link + " is a link to a file that does not exist");
    }

    @Test
    void theLogNamesWhatCameFromOutsideAndNoValue() {
        Logger logger = (Logger) LoggerFactory.getLogger(BuilderSettings.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        Level before = logger.getLevel();
        logger.setLevel(Level.INFO);
        try {
            settings.set("node.name", "shop");
            settings.read(Map.of(), directory);
            settings.read(
                    Map.of(
                            "MUSTER_ENCRYPTION_KEYS", "k1=" + KEY,
                            "MUSTER_NODE_ID", "node-17",
                            "MUSTER_DATABASE_PROFILE", "portable"),
                    directory);
        } finally {
            logger.setLevel(before);
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        tuple(
                                Level.INFO,
                                "no settings from a file or from MUSTER_ variables (no muster.toml in " + directory
                                        + ")"),
                        tuple(
                                Level.INFO,
                                "settings from {environment=[database.profile, node.id, encryption.keys]}"
                                        + " (no muster.toml in " + directory + ")"));
    }
}
