package dev.muster.postgres.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.TestDatabases;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.postgres.PrimaryDataSource;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.runtime.DatabaseUnavailable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MigrationsIT {
    private static final TestDatabases EMPTY = new TestDatabases(EmbeddedPostgres.shared(), "empty", url -> {});
    private String url;

    @BeforeEach
    void open() {
        url = EMPTY.create();
    }

    @AfterEach
    void close() {
        EMPTY.drop(url);
    }

    private PostgresStore store(Map<String, String> settings) {
        return PostgresStore.open(
                MusterConfig.defaults().with("database.url", url).with(settings));
    }

    @Test
    void tenNodesMigrateAnEmptyDatabaseAtOnce() throws Exception {
        tenAtOnce(Map.of("database.pool_size", "2"));
    }

    @Test
    void tenNodesMigrateAnEmptyDatabaseAtOnceWithoutALock() throws Exception {
        tenAtOnce(Map.of("database.pool_size", "2", "database.profile", "portable", "database.schema", "fresh"));
    }

    private void tenAtOnce(Map<String, String> settings) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(10);
        CountDownLatch go = new CountDownLatch(1);
        List<Future<List<String>>> results = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            results.add(pool.submit(() -> {
                try (PostgresStore store = store(settings)) {
                    go.await();
                    return store.migrateUp();
                }
            }));
        }
        go.countDown();
        List<String> applied = new ArrayList<>();
        for (Future<List<String>> result : results) {
            applied.addAll(result.get(3, TimeUnit.MINUTES));
        }
        pool.shutdown();
        assertThat(applied).containsExactlyElementsOf(Migrations.names());
    }

    @Test
    void checkRefusesAnOutdatedSchemaAndOffDoesNotLook() {
        try (PostgresStore check = store(Map.of("database.migrate", "check"))) {
            assertThatThrownBy(check::migrate)
                    .hasMessageContaining("lacks V001__clock")
                    .hasMessageContaining("muster migrate up");
            assertThat(check.pendingMigrations()).containsExactlyElementsOf(Migrations.names());
            check.migrateUp();
            check.migrate();
            assertThat(check.pendingMigrations()).isEmpty();
        }
    }

    @Test
    void aRoleThatMayCreateNothingStartsOnAMigratedDatabase() throws Exception {
        String role = "plain_" + Long.toHexString(System.nanoTime());
        try (Connection owner = DriverManager.getConnection(url);
                Statement statement = owner.createStatement()) {
            statement.execute("CREATE ROLE " + role
                    + " LOGIN PASSWORD 'plain'; CREATE SCHEMA ours; GRANT USAGE ON SCHEMA ours TO " + role);
            Map<String, String> asRole = Map.of("database.url", as(role), "database.schema", "ours");
            try (PostgresStore store = store(asRole)) {
                assertThatThrownBy(store::migrate)
                        .hasMessageContaining("may not migrate schema 'ours'")
                        .hasMessageContaining("V001__clock")
                        .hasMessageContaining("muster migrate up");
            }
            try (PostgresStore store = store(Map.of("database.schema", "ours"))) {
                store.migrate();
            }
            try (PostgresStore store = store(Map.of("database.schema", "ours"))) {
                for (String grant : store.admin().grants(role, false)) {
                    statement.execute(grant);
                }
            }
            try (PostgresStore store = store(asRole)) {
                store.migrate();
                store.claims().prepareHistory();
                store.jobs().enqueue(List.of(JobDraft.plain("a")));
                ClaimSession session =
                        store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(1)));
                ClaimedJob claimed = session.exchange(List.of(), 1).claimed().get(0);
                assertThat(session.exchange(List.of(new Outcome.Completed(claimed.claim(), null)), 0)
                                .rejected())
                        .isEmpty();
            } finally {
                statement.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
            }
        }
    }

    /** Whoever comes after a migration that waits for a view or table waits as well: so it must not wait for long. */
    @Test
    void aMigrationLetsOthersPassWhileItsViewIsInUse() throws Exception {
        try (PostgresStore store = store(Map.of());
                Connection user = DriverManager.getConnection(url);
                Connection bystander = DriverManager.getConnection(url);
                Statement use = user.createStatement();
                Statement look = bystander.createStatement()) {
            store.migrate();
            look.execute("UPDATE muster_migrations SET checksum = 'of another text' WHERE version = 'R__views'");
            user.setAutoCommit(false);
            use.execute("SELECT count(*) FROM muster_cluster");
            CompletableFuture<List<String>> migration = CompletableFuture.supplyAsync(store::migrateUp);
            await().until(() -> {
                ResultSet waiting = look.executeQuery(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'muster_cluster'::regclass"
                                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
                waiting.next();
                return waiting.getLong(1) > 0;
            });
            look.execute("SET statement_timeout = '60s'");
            look.execute("SELECT count(*) FROM muster_cluster");
            assertThat(migration).isNotDone();
            user.rollback();
            assertThat(migration.get(2, TimeUnit.MINUTES)).containsExactly("R__views");
        }
    }

    @Test
    void functionsAndViewsAreAppliedAgainWhenTheirTextHasChanged() throws Exception {
        try (PostgresStore store = store(Map.of());
                Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            store.migrate();
            anotherTimeline(statement, Migrations.LEVEL);
            assertThat(store.pendingMigrations()).containsExactly("R__functions_server");

            assertThat(store.migrateUp()).containsExactly("R__functions_server");
            assertThat(timeline(statement)).isNotEqualTo(-1);
            assertThat(store.pendingMigrations()).isEmpty();
            assertThat(store.migrateUp()).isEmpty();
        }
    }

    /** In a rolling upgrade, nodes of the version before may start again after the new version has migrated. */
    @Test
    void anOlderMusterLeavesTheFunctionsOfANewerOneAlone() throws Exception {
        try (PostgresStore store = store(Map.of());
                Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            store.migrate();
            anotherTimeline(statement, Migrations.LEVEL + 1);
            statement.execute("DELETE FROM muster_migrations WHERE version = 'R__views'; INSERT INTO muster_migrations"
                    + " (version, checksum, level) VALUES ('V999__more', '', " + (Migrations.LEVEL + 1) + ")");

            assertThat(store.pendingMigrations()).isEmpty();
            store.migrate();
            assertThat(store.migrateUp()).isEmpty();
            assertThat(timeline(statement)).isEqualTo(-1);
            try (PostgresStore check = store(Map.of("database.migrate", "check"))) {
                check.migrate();
            }
        }
    }

    /** As if a Muster of that level had another text for the functions of the server. */
    private static void anotherTimeline(Statement statement, int level) throws SQLException {
        statement.execute(
                "CREATE OR REPLACE FUNCTION muster_wal_timeline() RETURNS bigint LANGUAGE sql AS 'SELECT -1::bigint';"
                        + " UPDATE muster_migrations SET checksum = 'of another text', level = " + level
                        + " WHERE version = 'R__functions_server'");
    }

    private static long timeline(Statement statement) throws SQLException {
        ResultSet rows = statement.executeQuery("SELECT muster_wal_timeline()");
        rows.next();
        return rows.getLong(1);
    }

    @Test
    void tablesOfAnUnreleasedMusterAreRefusedAndLeftAlone() throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE muster_migrations (version text PRIMARY KEY, applied_at timestamptz NOT NULL"
                            + " DEFAULT clock_timestamp()); CREATE TABLE muster_jobs (id uuid); INSERT INTO muster_migrations"
                            + " (version) VALUES ('V001__jobs'), ('V002__job_life'), ('V023__revokes')");
            for (String mode : List.of("auto", "check")) {
                try (PostgresStore store = store(Map.of("database.migrate", mode))) {
                    assertThatThrownBy(store::migrate)
                            .hasMessageContaining("schema 'public' has tables of a Muster that was never released")
                            .hasMessageContaining("V001__jobs")
                            .hasMessageContaining("Drop what has the prefix muster_");
                    assertThatThrownBy(store::pendingMigrations).hasMessageContaining("never released");
                }
            }
            assertThat(tables(statement)).containsExactly("muster_jobs", "muster_migrations");
        }
    }

    @Test
    void aMigrationThatFailsLeavesNothingBehind() throws Exception {
        try (PostgresStore store = store(Map.of());
                Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE muster_daemons (somebody text)");
            assertThatThrownBy(store::migrate).hasMessageContaining("muster_daemons");
            assertThat(tables(statement)).containsExactly("muster_daemons");

            statement.execute("DROP TABLE muster_daemons");
            assertThat(store.migrateUp()).containsExactlyElementsOf(Migrations.names());
        }
    }

    /** Entries used to have whole bodies, and messages that may quote them. */
    @Test
    void argsLeaveTheAudit() throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String name : Migrations.names().stream()
                    .takeWhile(one -> !one.startsWith("V035"))
                    .toList()) {
                statement.execute(Migrations.text(name));
            }
            statement.execute(
                    "INSERT INTO muster_audit (at, caller, caller_name, action, target, details, node, outcome)"
                            + " SELECT now(), 'key:a', 'a', action, 't', details, 'n', outcome FROM (VALUES"
                            + " ('crons.create', '{\"body\":{\"args\":\"SECRET\"}}', 'done'),"
                            + " ('crons.update', '{\"body\":{\"args\":\"SECRET\"}}', 'refused: args: SECRET'),"
                            + " ('queues.limit', '{\"body\":{\"args\":\"SECRET\"}}', 'refused: there is no args'),"
                            + " ('queues.limit', '{\"body\":{\"args\":\"SECRET\"}}', NULL),"
                            + " ('jobs.cancel_all', '{\"name\":\"a\"}', 'refused: too many'),"
                            + " ('workflows.cancel', '{\"body\":{\"reason\":\"because\"}}', 'done')) AS v (action, details, outcome)");

            statement.execute(Migrations.text("V035__requests_with_keys"));

            ResultSet rows = statement.executeQuery(
                    "SELECT action || ' ' || details || ' ' || coalesce(outcome, '-') FROM muster_audit"
                            + " ORDER BY id");
            List<String> kept = new ArrayList<>();
            while (rows.next()) {
                kept.add(rows.getString(1));
            }
            assertThat(kept)
                    .containsExactly(
                            "crons.create {} done",
                            "crons.update {} refused: invalid_request",
                            "queues.limit {} refused: there is no args",
                            "queues.limit {} -",
                            "jobs.cancel_all {\"name\":\"a\"} refused: too many",
                            "workflows.cancel {\"body\":{\"reason\":\"because\"}} done");
        }
    }

    private static List<String> tables(Statement statement) throws SQLException {
        List<String> tables = new ArrayList<>();
        ResultSet rows =
                statement.executeQuery("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
                        + " AND relkind IN ('r', 'p', 'v') ORDER BY relname");
        while (rows.next()) {
            tables.add(rows.getString(1));
        }
        return tables;
    }

    /** Unless it is named, PostgreSQL looks in pg_temp first, and finds whatever any role has put there. */
    @Test
    void functionsLookIntoPgTempLastIfAToolRunsTheFilesWithASearchPathOfItsOwn() throws Exception {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("CREATE SCHEMA \"Ours\"; SET LOCAL search_path TO \"Ours\", public");
            for (String name : Migrations.names()) {
                statement.execute(Migrations.text(name));
            }
            ResultSet paths =
                    statement.executeQuery("SELECT DISTINCT setting FROM pg_proc p, unnest(p.proconfig) AS setting"
                            + " WHERE p.pronamespace = '\"Ours\"'::regnamespace AND setting LIKE 'search_path=%'");
            paths.next();
            assertThat(paths.getString(1)).isEqualTo("search_path=\"Ours\", pg_temp");
            assertThat(paths.next()).isFalse();
        }
    }

    @Test
    void everyFileIsListedInTheOrderInWhichFlywayWouldApplyIt() throws Exception {
        Path folder = Path.of(
                Migrations.class.getResource("/dev/muster/postgres/migrations").toURI());
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString().replace(".sql", ""))
                            .sorted(Comparator.comparing((String name) -> name.startsWith("R"))
                                    .thenComparing(name -> name)))
                    .containsExactlyElementsOf(Migrations.names());
        }
    }

    private String as(String role) {
        return url.replaceAll("user=[^&]*", "user=" + role).replaceAll("password=[^&]*", "password=plain");
    }

    @Test
    void offDoesNotLook() {
        try (PostgresStore off = store(Map.of("database.migrate", "off"))) {
            off.migrate();
            assertThat(off.pendingMigrations()).isNotEmpty();
            assertThatThrownBy(() -> off.jobs().enqueue(List.of(JobDraft.plain("a"))))
                    .hasMessageContaining("tables are missing")
                    .hasMessageContaining("a node creates them when it starts")
                    .hasMessageContaining("muster migrate up");
        }
    }

    @Test
    void twoInstallationsInOneDatabaseDoNotMeet() {
        try (PostgresStore one = store(Map.of("database.schema", "one"));
                PostgresStore two = store(Map.of("database.schema", "two"))) {
            one.migrate();
            two.migrate();
            one.jobs().enqueue(List.of(JobDraft.plain("a")));
            ClaimFilter filter = new ClaimFilter("n", null, Set.of(), null, Duration.ofSeconds(30));
            assertThat(two.claims().openClaims(filter).exchange(List.of(), 10).claimed())
                    .isEmpty();
            assertThat(one.claims().openClaims(filter).exchange(List.of(), 10).claimed())
                    .hasSize(1);
        }
    }

    @Test
    void anUnreachableDatabaseIsAClearError() throws IOException {
        // A port that is taken, and at which nobody listens.
        try (Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            HikariConfig config = new HikariConfig();
            config.setDataSource(
                    new PrimaryDataSource("jdbc:postgresql://127.0.0.1:" + taken.getLocalPort() + "/none"));
            config.setConnectionTimeout(250);
            config.setInitializationFailTimeout(-1);
            try (HikariDataSource pool = new HikariDataSource(config);
                    PostgresStore store = new PostgresStore(pool, MusterConfig.defaults())) {
                assertThatThrownBy(store::migrate)
                        .isInstanceOf(DatabaseUnavailable.class)
                        .hasMessageContaining("cannot be reached");
            }
        }
    }
}
