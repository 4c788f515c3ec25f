package dev.muster.internal.assembly;

import dev.muster.config.ConfigEntry;
import dev.muster.config.ConfigException;
import dev.muster.config.ConfigSource;
import dev.muster.config.MusterConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings that a builder was given, in any order: changes to single settings, and at most one config as their basis. Without
 * a config, the process's settings file and environment are the basis.
 */
public final class BuilderSettings {
    private static final Logger log = LoggerFactory.getLogger(BuilderSettings.class);
    // the sources of values that come neither from a file nor from the environment
    private static final Set<String> IN_CODE = Set.of("default", "builder", "database.profile");

    private final Map<String, String> changes = new LinkedHashMap<>();
    private @Nullable MusterConfig config;

    public void set(String key, String value) {
        changes.put(key, value);
    }

    public void startFrom(MusterConfig config) {
        this.config = config;
    }

    /** @throws ConfigException with all problems of the settings */
    MusterConfig read() {
        return read(System.getenv(), Path.of(""));
    }

    /** Reads the settings with the given environment and working directory instead of this process's own. */
    MusterConfig read(Map<String, String> environment, Path directory) {
        if (config != null) {
            return config.with(changes);
        }
        List<ConfigSource> outside = ConfigSource.standard(environment, directory);
        List<ConfigSource> sources = new ArrayList<>(outside);
        sources.add(ConfigSource.of("builder", changes));
        MusterConfig read = MusterConfig.load(sources);
        logSources(read, outside.size() > 1, directory);
        return read;
    }

    /**
     * Logs keys but no values, because any value may be a secret. It also logs that there is no file: the operator may have put
     * the file into another directory.
     */
    private static void logSources(MusterConfig read, boolean fromFile, Path directory) {
        Map<String, List<String>> keys = read.entries().stream()
                .filter(entry -> !IN_CODE.contains(entry.source()))
                .collect(Collectors.groupingBy(
                        BuilderSettings::where,
                        TreeMap::new,
                        Collectors.mapping(ConfigEntry::key, Collectors.toList())));
        log.info(
                "{} ({} {})",
                keys.isEmpty() ? "no settings from a file or from MUSTER_ variables" : "settings from " + keys,
                fromFile ? "working directory" : "no muster.toml in",
                directory.toAbsolutePath());
    }

    private static String where(ConfigEntry entry) {
        return entry.source().startsWith("MUSTER_") ? "environment" : entry.source();
    }
}
