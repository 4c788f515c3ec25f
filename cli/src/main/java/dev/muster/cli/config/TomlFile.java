package dev.muster.cli.config;

import dev.muster.config.ConfigException;
import dev.muster.config.ConfigProblem;
import dev.muster.config.ConfigSource;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.type.TypeReference;
import tools.jackson.dataformat.toml.TomlMapper;

/** A settings file in TOML. */
public final class TomlFile {
    private static final TomlMapper TOML = new TomlMapper();
    private static final TypeReference<LinkedHashMap<String, Object>> TREE = new TypeReference<>() {};

    private final Path path;

    public TomlFile(Path path) {
        this.path = path;
    }

    /**
     * The file as nested maps, in the order it is written.
     *
     * @throws ConfigException if it cannot be read, or is not TOML; names the file, and the line and column if known
     */
    public Map<String, Object> read() {
        try {
            return TOML.readValue(Files.readString(path), TREE);
        } catch (NoSuchFileException missing) {
            throw problem(path + " does not exist; create it or name another file");
        } catch (CharacterCodingException notText) {
            throw problem(path + " is not UTF-8 text; save it as UTF-8");
        } catch (IOException unreadable) {
            throw problem(path + " cannot be read: " + unreadable);
        } catch (JacksonException invalid) {
            throw problem(path + position(invalid.getLocation()) + " is not valid TOML: " + reason(invalid)
                    + " (text and durations go in quotes: lease = \"30s\")");
        }
    }

    /** The file as a source of settings, named after the file, with {@code ${VAR}} replaced from the environment. */
    public ConfigSource source(Map<String, String> environment) {
        Map<String, Object> tree = read();
        return ConfigSource.of(path.getFileName().toString(), tree).expanded(environment);
    }

    private static String position(TokenStreamLocation location) {
        return location == null || location.getLineNr() < 1
                ? ""
                : ", line " + location.getLineNr() + ", column " + location.getColumnNr() + ",";
    }

    private static String reason(JacksonException invalid) {
        return String.valueOf(invalid.getOriginalMessage()).lines().findFirst().orElse("unknown reason");
    }

    private ConfigException problem(String message) {
        return new ConfigException(List.of(new ConfigProblem(Optional.empty(), path.toString(), message)));
    }
}
