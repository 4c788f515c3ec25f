package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class DatabasesIT {
    /** Of its own, because it is restarted and its connections are counted. */
    private static final EmbeddedPostgres server = EmbeddedPostgres.builder().start();

    private final Databases databases = server.databases();

    @AfterAll
    static void close() {
        server.close();
    }

    @Test
    void aCopyHasTheSettingsOfItsTemplate() {
        databases.create("with_settings");
        Sql sql = new Sql(server.jdbcUrl());
        sql.execute("ALTER DATABASE with_settings SET search_path = public, pg_catalog");
        sql.execute("ALTER DATABASE with_settings SET app.motto = 'it''s = fine'");

        Sql copy = new Sql(databases.createFromTemplate("with_settings", "copied"));

        assertThat(copy.query("SHOW search_path")).isEqualTo("public, pg_catalog");
        assertThat(copy.query("SHOW app.motto")).isEqualTo("it's = fine");
    }

    @Test
    void oneConnectionIsKeptHoweverManyWereNeeded() {
        CompletableFuture.allOf(IntStream.range(0, 8)
                        .mapToObj(i -> CompletableFuture.runAsync(() -> {
                            databases.create("many_" + i);
                            databases.drop("many_" + i);
                        }))
                        .toArray(CompletableFuture[]::new))
                .join();

        Sql sql = new Sql(server.jdbcUrl());
        assertThat(sql.query("SELECT count(*) FROM pg_database WHERE datname LIKE 'many%'"))
                .isEqualTo("0");
        await().untilAsserted(() -> assertThat(sql.query("SELECT count(*) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()"))
                .isEqualTo("1"));
    }

    @Test
    void theConnectionThatIsKeptIsReplacedAfterARestart() {
        databases.create("before");
        server.restartImmediate();
        databases.drop("before");
        assertThat(new Sql(server.jdbcUrl()).query("SELECT count(*) FROM pg_database WHERE datname = 'before'"))
                .isEqualTo("0");
    }

    @Test
    void theDatabaseThatTheServerBeginsWithCanBeCopied() {
        databases.create("another");
        assertThat(new Sql(databases.createFromTemplate("postgres", "copy_of_postgres")).query("SELECT 1"))
                .isEqualTo("1");
    }

    @Test
    void saysWhichDatabaseCouldNotBeDroppedAndWhy() throws Exception {
        try (Connection connection = DriverManager.getConnection(databases.create("kept"))) {
            connection.createStatement().execute("UPDATE pg_database SET datistemplate = true WHERE datname = 'kept'");
        }
        assertThatThrownBy(() -> databases.drop("kept"))
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("DROP DATABASE IF EXISTS kept")
                .hasMessageContaining("cannot drop a template database");
    }
}
