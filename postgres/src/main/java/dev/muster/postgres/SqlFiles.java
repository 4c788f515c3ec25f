package dev.muster.postgres;

import dev.muster.runtime.Names;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;

/** The statements of this package by name, qualified for one schema. */
final class SqlFiles {
    private final String schema;
    private final ConcurrentHashMap<String, String> loaded = new ConcurrentHashMap<>();

    SqlFiles(String schema) {
        this.schema = Names.requireSchema(schema);
    }

    String schema() {
        return schema;
    }

    /** The text of {@code name}, such as "jobs/claim", without comments. */
    String get(String name) {
        return loaded.computeIfAbsent(
                name, n -> withoutComments(read(n + ".sql")).replace("{schema}", schema));
    }

    static String read(String path) {
        try (InputStream in = SqlFiles.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalArgumentException("there is no statement " + path);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String withoutComments(String sql) {
        return sql.replaceAll("(?m)^\\s*--.*$\\n?", "").strip();
    }
}
