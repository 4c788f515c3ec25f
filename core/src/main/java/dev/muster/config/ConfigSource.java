package dev.muster.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Somewhere settings come from. Reading happens in {@link MusterConfig#load}. */
public abstract sealed class ConfigSource permits TreeSource, EnvironmentSource {

    ConfigSource() {}

    /**
     * Settings as a TOML parser gives them: a map from sections to maps from names to Strings, Numbers, Booleans,
     * Lists or Maps. Keys with dots, such as {@code "worker.lease"}, mean the same.
     *
     * @param name what problems and {@link ConfigEntry#source} call it: "muster.toml"
     */
    public static ConfigSource of(String name, Map<String, ?> tree) {
        return new TreeSource(name, tree, null);
    }

    /**
     * The {@code MUSTER_…} variables of an environment, usually {@link System#getenv()}. Other variables are not
     * looked at. MUSTER_OPTS, MUSTER_HOME, MUSTER_CONFIG, MUSTER_DEBUG and MUSTER_TEST_… are not settings, and neither is what
     * Kubernetes sets for a service named muster (MUSTER_SERVICE_HOST, MUSTER_PORT_…), nor a variable that an
     * {@linkplain #expanded expanded} source before this one mentions.
     */
    public static ConfigSource environment(Map<String, String> environment) {
        return new EnvironmentSource(environment);
    }

    /**
     * A settings file in TOML; problems call it by its file name. Needs a {@link TomlReader} on the classpath.
     *
     * @throws ConfigException if the file cannot be read or is not TOML
     */
    public static ConfigSource file(Path path) {
        return ConfigFile.at(path).source();
    }

    /**
     * Where a process looks for settings unless it is told otherwise, in this order: the file that MUSTER_CONFIG names,
     * else {@code muster.toml} in the directory if there is one, {@linkplain #expanded expanded}; then the environment.
     *
     * @param environment usually {@link System#getenv()}
     * @param directory the working directory, usually {@code Path.of("")}
     * @throws ConfigException if there is a file and it cannot be read
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
     * environment; {@code $$} becomes {@code $}. A variable that is not set and has no default is a problem. Values
     * that are environment variables themselves stay as they are.
     */
    public abstract ConfigSource expanded(Map<String, String> environment);

    abstract void readInto(Draft draft);
}
