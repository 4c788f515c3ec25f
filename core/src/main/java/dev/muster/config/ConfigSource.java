package dev.muster.config;

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
     * This source with {@code ${VAR}} and {@code ${VAR:-default}} in its texts replaced by variables of the given
     * environment; {@code $$} becomes {@code $}. A variable that is not set and has no default is a problem. Values
     * that are environment variables themselves stay as they are.
     */
    public abstract ConfigSource expanded(Map<String, String> environment);

    abstract void readInto(Draft draft);
}
