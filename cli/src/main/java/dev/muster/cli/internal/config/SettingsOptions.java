package dev.muster.cli.internal.config;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.config.ConfigSource;
import dev.muster.config.MusterConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    @Option(
            names = "--server",
            paramLabel = "URL",
            split = ",",
            description = "Gateways to use instead of the database, such as https://muster.example.org. Default:"
                    + " MUSTER_SERVER, unless --url is given.")
    private List<String> servers = List.of();

    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            description =
                    "API key for the gateways. Default: MUSTER_KEY, which other users of this machine do not see.")
    private @Nullable String key;

    /** Whether {@code --url} was given. */
    public boolean namesDatabase() {
        return url != null;
    }

    /** The gateways to use instead of the database; empty if the command uses the database. */
    public Optional<GatewayAddress> gateway() {
        return gateway(System.getenv());
    }

    Optional<GatewayAddress> gateway(Map<String, String> environment) {
        if (!servers.isEmpty() && url != null) {
            throw CommandFailed.badInput("--server and --url exclude each other");
        }
        String inherited = environment.getOrDefault("MUSTER_SERVER", "").strip();
        List<String> addresses =
                !servers.isEmpty() || url != null || inherited.isEmpty() ? servers : List.of(inherited.split(","));
        if (addresses.isEmpty()) {
            return Optional.empty();
        }
        String inheritedKey = environment.getOrDefault("MUSTER_KEY", "").strip();
        return Optional.of(new GatewayAddress(
                addresses.stream().map(String::strip).toList(),
                Optional.ofNullable(key).or(() -> Optional.of(inheritedKey).filter(text -> !text.isEmpty()))));
    }

    /**
     * Where the gateways are, and as whom the command uses them.
     *
     * @param addresses such as {@code https://muster.example.org}
     */
    public record GatewayAddress(List<String> addresses, Optional<String> key) {
        /** Without the key, which must not get into logs. */
        @Override
        public String toString() {
            return String.join(", ", addresses);
        }
    }

    /**
     * Reads the settings, for commands that use the database or a node of their own.
     *
     * @throws dev.muster.config.ConfigException with all of their problems
     */
    public MusterConfig load() {
        return load(List.of());
    }

    /** Reads the settings, of which the command's own options override those of all other sources. */
    public MusterConfig load(List<ConfigSource> ownOptions) {
        if (!servers.isEmpty()) {
            throw CommandFailed.badInput(
                    "this command cannot work over HTTP: it needs the settings of a database; leave out --server");
        }
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
