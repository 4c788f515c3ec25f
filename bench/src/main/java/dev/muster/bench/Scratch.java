package dev.muster.bench;

import dev.muster.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** An empty database for one measurement, and the plain statements around it. */
final class Scratch implements AutoCloseable {
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final EmbeddedPostgres server;
    private final String name;
    private final String url;

    Scratch(EmbeddedPostgres server) {
        this.server = server;
        this.name = "bench_" + NUMBERS.incrementAndGet();
        this.url = server.databases().create(name);
    }

    String url() {
        return url;
    }

    CpuMeter cpu() {
        return new CpuMeter(server.pid());
    }

    /** Takes the debts of what happened before out of what is measured next. */
    void checkpoint() throws SQLException {
        execute(url, "CHECKPOINT");
    }

    void analyze() throws SQLException {
        execute(url, "ANALYZE");
    }

    @Override
    public void close() {
        server.databases().drop(name);
    }

    static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    static long number(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            return number(connection, sql);
        }
    }

    static String resource(String path) {
        try (InputStream in = Scratch.class.getResourceAsStream(path)) {
            if (in == null) {
                throw new IllegalStateException("no resource " + path);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
