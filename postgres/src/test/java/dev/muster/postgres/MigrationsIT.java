package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.JobDraft;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.embedded.TestDatabases;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimSession;
import dev.muster.job.ClaimedJob;
import dev.muster.job.JobStore.Recovered;
import dev.muster.job.Lane;
import dev.muster.job.Outcome;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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
            applied.addAll(result.get(60, TimeUnit.SECONDS));
        }
        pool.shutdown();
        assertThat(applied).containsExactlyElementsOf(Migrations.names());
    }

    @Test
    void checkRefusesAnOutdatedSchemaAndOffDoesNotLook() {
        try (PostgresStore check = store(Map.of("database.migrate", "check"))) {
            assertThatThrownBy(check::migrate)
                    .hasMessageContaining("lacks V001__jobs")
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
                        .hasMessageContaining("V001__jobs")
                        .hasMessageContaining("muster migrate up");
            }
            try (PostgresStore store = store(Map.of("database.schema", "ours"))) {
                store.migrate();
            }
            try (PostgresStore store = store(Map.of("database.schema", "ours"))) {
                for (String grant : store.grants(role, false)) {
                    statement.execute(grant);
                }
            }
            try (PostgresStore store = store(asRole)) {
                store.migrate();
                store.jobs().prepareHistory();
                store.jobs().enqueue(List.of(JobDraft.plain("a")));
                ClaimSession session =
                        store.jobs().openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofMinutes(1)));
                ClaimedJob claimed = session.exchange(List.of(), 1).claimed().get(0);
                assertThat(session.exchange(List.of(new Outcome.Completed(claimed.claim(), null)), 0)
                                .rejected())
                        .isEmpty();
            } finally {
                statement.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
            }
        }
    }

    /** Whoever comes after a migration that waits for a table waits as well: so it must not wait for long. */
    @Test
    void aMigrationLetsOthersPassWhileItsTableIsInUse() throws Exception {
        try (PostgresStore store = store(Map.of());
                Connection user = DriverManager.getConnection(url);
                Connection bystander = DriverManager.getConnection(url);
                Statement use = user.createStatement();
                Statement look = bystander.createStatement()) {
            store.migrate();
            look.execute("DELETE FROM muster_migrations WHERE version = 'V013__history_check'; ALTER TABLE"
                    + " muster_job_history ADD CONSTRAINT muster_job_history_status_check CHECK (status <> '')");
            user.setAutoCommit(false);
            use.execute("SELECT count(*) FROM muster_job_history");
            CompletableFuture<List<String>> migration = CompletableFuture.supplyAsync(store::migrateUp);
            await().until(() -> {
                ResultSet waiting = look.executeQuery(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'muster_job_history'::regclass");
                waiting.next();
                return waiting.getLong(1) > 0;
            });
            look.execute("SET statement_timeout = '10s'");
            look.execute("SELECT count(*) FROM muster_job_history");
            assertThat(migration).isNotDone();
            user.rollback();
            assertThat(migration.get(30, TimeUnit.SECONDS)).containsExactly("V013__history_check");
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
            ClaimScope scope = new ClaimScope("n", null, Set.of(), null, Duration.ofSeconds(30));
            assertThat(two.jobs().openClaims(scope).exchange(List.of(), 10).claimed())
                    .isEmpty();
            assertThat(one.jobs().openClaims(scope).exchange(List.of(), 10).claimed())
                    .hasSize(1);
        }
    }

    @Test
    void anUnreachableDatabaseIsAClearError() {
        try (PostgresStore store = PostgresStore.open(
                MusterConfig.defaults().with("database.url", "jdbc:postgresql://127.0.0.1:1/none"))) {
            assertThatThrownBy(store::migrate)
                    .isInstanceOf(DatabaseUnavailable.class)
                    .hasMessageContaining("cannot be reached");
        }
    }

    @Test
    void liveJobsOfTheSchemaBeforeNotesAreFoundAfterIt() throws Exception {
        String before = Migrations.script("public", Migrations.names(), true);
        before = before.substring(0, before.indexOf("\n-- V010__claims.sql")) + "\nCOMMIT;";
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                Connection older = DriverManager.getConnection(url)) {
            statement.execute(before);
            statement.execute("CREATE TABLE unrelated (n integer)");
            statement.execute(
                    "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, ready_at, args, token, node_id,"
                            + " attempt, lease_until) SELECT gen_random_uuid(), 'a', 'default', 50, 50, status,"
                            + " clock_timestamp(), '{}', token, node, 0, clock_timestamp() + lease FROM (VALUES"
                            + " ('waiting', NULL::bigint, NULL, NULL::interval), ('pending', NULL, NULL, NULL),"
                            + " ('claimed', 1, 'n', interval '-1 s'), ('running', 2, 'n', interval '-1 s'),"
                            + " ('running', 3, 'm', interval '1 hour')) AS job (status, token, node, lease)");
            // Keeps rows that are changed from being taken for settled.
            older.setAutoCommit(false);
            older.createStatement().execute("INSERT INTO unrelated VALUES (1)");

            try (PostgresStore store = store(Map.of())) {
                assertThat(store.migrateUp()).contains("V010__claims");

                ResultSet unusable = statement.executeQuery("SELECT count(*) FROM pg_index i JOIN pg_class c"
                        + " ON c.oid = i.indexrelid WHERE c.relname LIKE 'muster_jobs_%' AND i.indcheckxmin");
                unusable.next();
                assertThat(unusable.getInt(1))
                        .as("indexes that the planner must not use yet")
                        .isZero();
                List<Recovered> recovered =
                        store.leaders().unfenced(tx -> store.jobs().recoverExpired(tx, 10, false));
                assertThat(recovered).extracting(job -> job.status().text()).containsExactly("pending", "pending");
                Set<Lane> freed = store.leaders().unfenced(store.jobs()::sweepWaiting);
                assertThat(freed).as("what waited for nothing").hasSize(1);
                assertThat(store.jobs()
                                .openClaims(new ClaimScope("n", null, Set.of(), null, Duration.ofSeconds(30)))
                                .exchange(List.of(), 10)
                                .claimed())
                        .hasSize(4);
            }
            older.rollback();
        }
    }
}
