package dev.muster.embedded;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The template databases of one server, from which test databases are copied. Each is prepared once. */
final class Templates {
    private final EmbeddedPostgres server;
    private final ConcurrentHashMap<String, Object> locks = new ConcurrentHashMap<>();
    private final Set<String> prepared = ConcurrentHashMap.newKeySet();
    /** Those that were in the server's data from the beginning and have not been completed yet. */
    private final Set<String> found = ConcurrentHashMap.newKeySet();

    Templates(EmbeddedPostgres server) {
        this.server = server;
    }

    static String name(String key) {
        return Databases.requireName("template_" + key);
    }

    /** The server's data comes with this template. */
    void found(String key) {
        found.add(key);
    }

    /** @param complete called after the preparation, and also if the template was there already */
    String prepared(String key, Consumer<String> prepare, Consumer<String> complete) {
        String name = name(key);
        synchronized (locks.computeIfAbsent(key, k -> new Object())) {
            if (!prepared.contains(key)) {
                Databases databases = server.databases();
                if (!found.remove(key)) {
                    // A data folder that is kept may still contain the template of an earlier run.
                    databases.drop(name);
                    prepare.accept(databases.create(name));
                }
                complete.accept(server.jdbcUrl(name));
                databases.freeze(name);
                prepared.add(key);
            }
        }
        return name;
    }
}
