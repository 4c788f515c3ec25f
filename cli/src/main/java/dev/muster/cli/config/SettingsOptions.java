package dev.muster.cli.config;

import dev.muster.config.ConfigSource;
import dev.muster.config.MusterConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a command gets its settings: the defaults, a file, the environment, its own options; later wins. */
public final class SettingsOptions {
    @Option(names = "--url", paramLabel = "URL", description = "Database: jdbc:postgresql://host/name?user=name")
    private @Nullable String url;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file; else MUSTER_CONFIG, else muster.toml here, if there is one.")
    private @Nullable Path file;

    @Option(names = "--set", paramLabel = "KEY=VALUE", description = "Changes one setting, as in worker.concurrency=4.")
    private Map<String, String> changes = new LinkedHashMap<>();

    /** Whether {@code --url} was given. */
    public boolean namesDatabase() {
        return url != null;
    }

    /**
     * The settings as a whole.
     *
     * @throws dev.muster.config.ConfigException with all that is wrong with them
     */
    public MusterConfig load() {
        return MusterConfig.load(sources(System.getenv()));
    }

    private List<ConfigSource> sources(Map<String, String> environment) {
        List<ConfigSource> sources = new ArrayList<>();
        if (file != null) {
            sources.add(ConfigSource.file(file).expanded(environment));
            sources.add(ConfigSource.environment(environment));
        } else {
            sources.addAll(ConfigSource.standard(environment, Path.of("")));
        }
        if (!changes.isEmpty()) {
            sources.add(ConfigSource.of("--set", changes));
        }
        if (url != null) {
            sources.add(ConfigSource.of("--url", Map.of("database.url", url)));
        }
        return sources;
    }
}
