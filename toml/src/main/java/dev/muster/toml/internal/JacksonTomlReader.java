package dev.muster.toml.internal;

import dev.muster.internal.config.TomlReader;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.type.TypeReference;
import tools.jackson.dataformat.toml.TomlMapper;

/** Reads TOML with Jackson 3. */
public final class JacksonTomlReader implements TomlReader {
    private static final TypeReference<LinkedHashMap<String, Object>> TREE = new TypeReference<>() {};

    private final TomlMapper mapper = new TomlMapper();

    @Override
    public Map<String, Object> read(String text) throws Malformed {
        try {
            return mapper.readValue(text, TREE);
        } catch (JacksonException invalid) {
            throw malformed(invalid, invalid.getLocation());
        }
    }

    private static Malformed malformed(JacksonException invalid, @Nullable TokenStreamLocation location) {
        String reason =
                String.valueOf(invalid.getOriginalMessage()).lines().findFirst().orElse("unknown reason");
        return location == null || location.getLineNr() < 1
                ? new Malformed(reason, 0, 0)
                : new Malformed(reason, location.getLineNr(), location.getColumnNr());
    }
}
