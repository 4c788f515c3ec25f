package dev.muster.embedded;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The template databases of one server, from which test databases are copied. Each is prepared once. */
final class Templates {
    private final EmbeddedPostgres server;
    private final ConcurrentHashMap<String, Object> locks = new ConcurrentHashMap<>();
    private final Set<String> prepared = ConcurrentHashMap.newKeySet();

    Templates(EmbeddedPostgres server) {
        this.server = server;
    }

    String prepared(String key, Consumer<String> prepare) {
        String name = Databases.requireName("template_" + key);
        synchronized (locks.computeIfAbsent(key, k -> new Object())) {
            if (!prepared.contains(key)) {
                Databases databases = server.databases();
                // A data folder that is kept may still contain the template of an earlier run.
                databases.drop(name);
                prepare.accept(databases.create(name));
                databases.freeze(name);
                prepared.add(key);
            }
        }
        return name;
    }
}
