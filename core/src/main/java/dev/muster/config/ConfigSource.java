package dev.muster.config;

import dev.muster.internal.config.TomlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A source of settings, such as a file. {@link MusterConfig#load} reads it. */
public abstract sealed class ConfigSource permits TreeSource, EnvironmentSource {

    ConfigSource() {}

    /**
     * Settings as a TOML parser returns them: a map of sections, each a map from names to Strings, Numbers, Booleans, Lists or
     * Maps. Keys with dots, such as {@code "worker.lease"}, are allowed too.
     *
     * @param name what problems and {@link ConfigEntry#source} call this source: "muster.toml"
     */
    public static ConfigSource of(String name, Map<String, ?> tree) {
        return new TreeSource(name, tree, null);
    }

    /**
     * The {@code MUSTER_…} variables of an environment, usually {@link System#getenv()}. Other variables are ignored. So are
     * MUSTER_OPTS, MUSTER_HOME, MUSTER_CONFIG, MUSTER_DEBUG and MUSTER_TEST_…, the variables that Kubernetes sets for a service
     * named muster (MUSTER_SERVICE_HOST, MUSTER_PORT_…), and variables that an {@linkplain #expanded expanded} source before this
     * one mentions.
     */
    public static ConfigSource environment(Map<String, String> environment) {
        return new EnvironmentSource(environment);
    }

    /**
     * A settings file in TOML; problems mention its file name. Needs a {@link TomlReader} on the classpath.
     *
     * @throws ConfigException if the file cannot be read or is not TOML
     */
    public static ConfigSource file(Path path) {
        return ConfigFile.at(path).source();
    }

    /**
     * The default sources of a process, in this order: the file that MUSTER_CONFIG names, otherwise {@code muster.toml} in the
     * directory if it exists, {@linkplain #expanded expanded}; then the environment.
     *
     * @param environment usually {@link System#getenv()}
     * @param directory the working directory, usually {@code Path.of("")}
     * @throws ConfigException if the file exists and cannot be read
     */
    public static List<ConfigSource> standard(Map<String, String> environment, Path directory) {
        List<ConfigSource> sources = new ArrayList<>();
        ConfigFile.find(environment, directory)
                .ifPresent(file -> sources.add(file.source().expanded(environment)));
        sources.add(environment(environment));
        return sources;
    }

    /**
     * This source with {@code ${VAR}} and {@code ${VAR:-default}} in its texts replaced by variables of the given
     * environment; {@code $$} becomes {@code $}. A variable that is not set and has no default is a problem. An environment
     * source stays as it is.
     */
    public abstract ConfigSource expanded(Map<String, String> environment);

    abstract void readInto(Draft draft);
}
