package dev.muster.config;

import dev.muster.internal.config.TomlReader;
import dev.muster.internal.config.TomlReader.Malformed;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/** A settings file in TOML. */
final class ConfigFile {
    static final Path USUAL = Path.of("muster.toml");
    static final String VARIABLE = "MUSTER_CONFIG";

    private final Path path;
    private final Iterable<TomlReader> readers;

    ConfigFile(Path path, Iterable<TomlReader> readers) {
        this.path = path;
        this.readers = readers;
    }

    static ConfigFile at(Path path) {
        return new ConfigFile(path, ServiceLoader.load(TomlReader.class));
    }

    /** The file that MUSTER_CONFIG names, which must exist; otherwise {@code muster.toml} if the directory has one. */
    static Optional<ConfigFile> find(Map<String, String> environment, Path directory) {
        String named = environment.get(VARIABLE);
        if (named != null && !named.isBlank()) {
            return Optional.of(at(directory.resolve(named)));
        }
        Path usual = directory.resolve(USUAL);
        // A broken link is reported as a file that cannot be read, not ignored like a missing file.
        return Files.exists(usual, LinkOption.NOFOLLOW_LINKS) ? Optional.of(at(usual)) : Optional.empty();
    }

    /** @throws ConfigException if the file cannot be read or is not TOML; with the file, and line and column if known */
    ConfigSource source() {
        String text = text();
        try {
            return ConfigSource.of(path.getFileName().toString(), reader().read(text));
        } catch (Malformed invalid) {
            throw problem(path + invalid.position() + " is not valid TOML: " + invalid.getMessage()
                    + " (text and durations go in quotes: lease = \"30s\")");
        }
    }

    private String text() {
        try {
            return Files.readString(path);
        } catch (NoSuchFileException missing) {
            throw problem(
                    Files.isSymbolicLink(path)
                            ? path + " is a link to a file that does not exist; create that file or remove the link"
                            : path + " does not exist; create it or name another file");
        } catch (CharacterCodingException notText) {
            throw problem(path + " is not UTF-8 text; save it as UTF-8");
        } catch (IOException unreadable) {
            throw problem(path + " cannot be read: " + unreadable);
        }
    }

    private TomlReader reader() {
        for (TomlReader reader : readers) {
            return reader;
        }
        throw problem(path + " cannot be read, because there is no TomlReader on the classpath; add muster-toml to it,"
                + " or give all settings in code: Muster.builder().config(…)");
    }

    private ConfigException problem(String message) {
        return new ConfigException(List.of(new ConfigProblem(Optional.empty(), path.toString(), message)));
    }
}
