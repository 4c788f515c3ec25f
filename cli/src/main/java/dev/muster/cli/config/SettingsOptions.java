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

/** Reads a command's settings from the defaults, a file, the environment and its own options; a later one wins. */
public final class SettingsOptions {
    @Option(names = "--url", paramLabel = "URL", description = "Database: jdbc:postgresql://host/name?user=name")
    private @Nullable String url;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file. Default: MUSTER_CONFIG, or else muster.toml in this directory, if it exists.")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Change one setting, such as worker.concurrency=4.")
    private Map<String, String> changes = new LinkedHashMap<>();

    /** Whether {@code --url} was given. */
    public boolean namesDatabase() {
        return url != null;
    }

    /**
     * Reads the settings.
     *
     * @throws dev.muster.config.ConfigException with all of their problems
     */
    public MusterConfig load() {
        return load(List.of());
    }

    /** Reads the settings, of which the command's own options override those of all other sources. */
    public MusterConfig load(List<ConfigSource> ownOptions) {
        List<ConfigSource> sources = sources(System.getenv());
        sources.addAll(ownOptions);
        return MusterConfig.load(sources);
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
