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

    /** What the server keeps, because nobody can log in to a database whose libraries do not exist. */
    @Test
    void aCopyHasTheListsOfItsTemplate() {
        databases.create("with_lists");
        Sql sql = new Sql(server.jdbcUrl());
        sql.execute("ALTER DATABASE with_lists SET search_path = ''");
        sql.execute("ALTER DATABASE with_lists SET session_preload_libraries = 'first', '$libdir/a \"second\", one'");
        sql.execute("ALTER DATABASE with_lists SET temp_tablespaces = pg_default, 'Other'");
        sql.execute("ALTER DATABASE with_lists SET DateStyle = ISO, DMY");

        databases.createFromTemplate("with_lists", "lists_copied");

        String settings =
                "SELECT setconfig FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase WHERE datname = ";
        assertThat(sql.query(settings + "'lists_copied'"))
                .isEqualTo(sql.query(settings + "'with_lists'"))
                .contains("search_path=", "session_preload_libraries=", "temp_tablespaces=", "DateStyle=");
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
