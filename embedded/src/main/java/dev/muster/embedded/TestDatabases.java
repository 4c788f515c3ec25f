package dev.muster.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * Creates a separate database for each test, as a copy of a template that is prepared (usually migrated) once per server.
 *
 * <p>A template is identified by its server and key: of several instances with the same key, the first one prepares it, so the
 * same key must mean the same preparation. Connections that the preparation leaves open are ended. Thread-safe.
 *
 * <p>Two system properties let a whole test suite run on databases with an unusual clock or unusual settings: {@value
 * #TEMPLATE_SQL_PROPERTY} names a file of SQL that is run in each template once it is prepared, {@value #SQL_PROPERTY} one that is
 * run in each new copy. A copy has the settings of its template ({@code ALTER DATABASE … SET}).
 */
public final class TestDatabases {
    private static final String TEMPLATE_SQL_PROPERTY = "muster.test.template_sql";
    private static final String SQL_PROPERTY = "muster.test.sql";

    private final EmbeddedPostgres server;
    private final String templateKey;
    private final Consumer<String> prepare;
    private final Map<String, String> namesByUrl = new ConcurrentHashMap<>();

    /**
     * @param templateKey lower-case letters, digits and underscores, at most 50
     * @param prepare called with the URL of the empty template database at the first {@link #create()}
     */
    public TestDatabases(EmbeddedPostgres server, String templateKey, Consumer<String> prepare) {
        requireKey(templateKey);
        this.server = server;
        this.templateKey = templateKey;
        this.prepare = prepare;
    }

    /**
     * Databases on {@link EmbeddedPostgres#shared()}. If this call starts that server, the server comes with the template as an earlier JVM of this
     * user has prepared it: it is kept in the cache folder, and prepared again only if the version, or the file of {@value
     * #TEMPLATE_SQL_PROPERTY}, is another one. That file is run again in each JVM, so it has to bear that.
     *
     * @param templateKey lower-case letters, digits and underscores, at most 50
     * @param version any text that is another one whenever {@code prepare} makes something else
     * @param prepare called with the URL of the empty template database
     */
    public static TestDatabases onSharedServer(String templateKey, String version, Consumer<String> prepare) {
        requireKey(templateKey);
        KeptTemplate kept = new KeptTemplate(
                templateKey, version + "\n" + sql(TEMPLATE_SQL_PROPERTY).orElse(""), url -> {
                    prepare.accept(url);
                    run(TEMPLATE_SQL_PROPERTY, url);
                });
        return new TestDatabases(EmbeddedPostgres.sharedWith(kept), templateKey, prepare);
    }

    private static void requireKey(String templateKey) {
        if (!templateKey.matches("[a-z0-9_]{1,50}")) {
            throw new IllegalArgumentException(
                    "'" + templateKey + "' is not a template key: use lower-case letters, digits and _, at most 50");
        }
    }

    /** Creates a fresh copy of the template and returns its URL. */
    public String create() {
        String template = server.templates().prepared(templateKey, prepare, url -> run(TEMPLATE_SQL_PROPERTY, url));
        String name =
                "t_%s_%08x".formatted(templateKey, ThreadLocalRandom.current().nextInt());
        String url = server.databases().createFromTemplate(template, name);
        namesByUrl.put(url, name);
        run(SQL_PROPERTY, url);
        return url;
    }

    private static void run(String property, String url) {
        Optional<String> sql = sql(property);
        if (sql.isEmpty()) {
            return;
        }
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql.get());
        } catch (SQLException e) {
            throw new IllegalStateException("the server refused the statements in " + System.getProperty(property), e);
        }
    }

    /** What the file says that this system property names. */
    private static Optional<String> sql(String property) {
        String file = System.getProperty(property);
        if (file == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(Path.of(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(property + " names a file that cannot be read", e);
        }
    }

    /** Drops a database that {@link #create()} created, and ends the connections to it. */
    public void drop(String url) {
        String name = namesByUrl.remove(url);
        if (name == null) {
            throw new IllegalArgumentException(url + " was not created by this TestDatabases, or was dropped already");
        }
        server.databases().drop(name);
    }
}
