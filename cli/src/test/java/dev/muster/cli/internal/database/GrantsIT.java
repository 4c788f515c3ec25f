package dev.muster.cli.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.cli.Cli;
import dev.muster.cli.OnTestDatabase;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.config.MusterConfig;
import dev.muster.examples.ExampleApp;
import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.leader.LeaderRole;
import dev.muster.schedule.CronSpec;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Roles in a schema that Muster shares with an application. */
class GrantsIT extends OnTestDatabase {
    private final String suffix = Long.toHexString(System.nanoTime());
    private final String migrator = "migrator_" + suffix;
    private final String worker = "Worker " + suffix;
    private final String reader = "reader_" + suffix;
    private final String shop = "shop_" + suffix;

    @BeforeEach
    void prepare() {
        for (String role : new String[] {migrator, worker, reader, shop}) {
            database.execute("CREATE ROLE \"" + role + "\" LOGIN PASSWORD 'test'");
        }
        database.execute("CREATE SCHEMA shared; GRANT CREATE, USAGE ON SCHEMA shared TO " + migrator + ", " + shop);
    }

    @AfterEach
    void close() {
        for (String role : new String[] {worker, reader, shop, migrator}) {
            database.execute("DROP OWNED BY \"" + role + "\" CASCADE; DROP ROLE \"" + role + "\"");
        }
    }

    private String urlOf(String role) {
        return database.url().replaceAll("[?&](user|password)=[^&]*", "").replaceFirst("\\?.*$", "") + "?user="
                + role.replace(" ", "%20") + "&password=test&connectTimeout=60";
    }

    private Cli.Result as(String role, String... args) {
        String[] all = new String[args.length + 4];
        System.arraycopy(args, 0, all, 0, args.length);
        System.arraycopy(
                new String[] {"--url", urlOf(role), "--set", "database.schema=shared"}, 0, all, args.length, 4);
        return Cli.run(all);
    }

    private void execute(String role, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(urlOf(role))) {
            connection.createStatement().execute(sql);
        }
    }

    @Test
    void aNodeRunsWithThemAndCannotTouchTheTablesOfOthers() throws Exception {
        execute(shop, "CREATE TABLE shared.orders (id int); CREATE TABLE shared.muster_bait (id int)");
        as(migrator, "migrate", "grants", "--role", worker).failed(ExitCode.FAILED, "none of Muster's tables");
        as(migrator, "migrate", "up").done();
        execute(migrator, "CREATE TABLE shared.of_the_migrator (id int)");
        as(migrator, "migrate", "grants", "--role", "nobody_" + suffix).failed(ExitCode.FAILED, "there is no role");

        String grants =
                as(migrator, "migrate", "grants", "--role", worker).done().out();
        assertThat(grants)
                .contains("\"" + worker + "\"", "shared.muster_jobs,")
                .doesNotContain("orders", "bait", "of_the_migrator", "muster_job_history_2");
        String usage = "GRANT USAGE ON SCHEMA shared TO \"" + worker + "\";";
        assertThat(grants).startsWith("-- to be run by the owner of the schema\n" + usage);
        database.execute(usage + "GRANT USAGE ON SCHEMA shared TO " + reader);
        assertThat(as(migrator, "migrate", "grants", "--role", worker).done().out())
                .doesNotContain("ON SCHEMA");
        execute(migrator, grants);
        execute(
                migrator,
                as(migrator, "migrate", "grants", "--role", reader, "--read-only")
                        .done()
                        .out());

        MusterBuilder builder = Muster.builder()
                .config(MusterConfig.defaults()
                        .with(Map.of(
                                "database.url",
                                urlOf(worker),
                                "database.schema",
                                "shared",
                                "scheduler.tick",
                                "100ms")));
        new ExampleApp().register(builder, database.dataSource());
        try (Muster node = builder.build()) {
            node.start();
            JobId id = node.jobs()
                    .enqueue(JobRequest.of("hello", Map.of("name", "Ada")).key("once"));
            assertThat(node.jobs().await(id, Duration.ofMinutes(2)).status()).isEqualTo(JobStatus.COMPLETED);
            for (LeaderRole role : LeaderRole.values()) {
                Awaitility.await().until(() -> node.leadership(role).isLeader());
            }
            node.crons().create(CronSpec.of("often", "* * * * * *", JobRequest.of("hello", Map.of("name", "cron"))));
            Awaitility.await().until(() -> database.number("SELECT count(*) FROM shared.muster_cron_ticks") > 0);
            assertThat(node.locks().tryAcquire("one", Duration.ofSeconds(5))).isPresent();
            String key =
                    node.apiKeys().create(KeyRequest.of("billing", Scope.READ)).key();
            assertThat(AccessSubsystem.verifier(node.api(NodeContext.class)).verify(key))
                    .isPresent();
            Awaitility.await()
                    .untilAsserted(() -> assertThat(node.health().ok())
                            .as(node.health().detail())
                            .isTrue());
        }
        // History of days to come is made with the owner's rights.
        execute(worker, "SELECT shared.muster_prepare_history(9)");

        assertThat(as(reader, "jobs", "list").done().out()).contains("hello");
        assertThat(as(reader, "keys", "list").done().out()).contains("billing");
        assertThat(as(reader, "audit", "list").done().out()).contains("keys.create");
        assertThatThrownBy(() -> execute(reader, "SELECT hash FROM shared.muster_api_keys"))
                .hasMessageContaining("permission denied for table muster_api_keys");
        assertThatThrownBy(() -> execute(reader, "SELECT * FROM shared.muster_api_keys"))
                .hasMessageContaining("permission denied for table muster_api_keys");
        assertThat(as(reader, "cluster", "nodes").done().exit()).isZero();
        for (String role : new String[] {worker, reader}) {
            for (String table : new String[] {"orders", "muster_bait", "of_the_migrator"}) {
                assertThatThrownBy(() -> execute(role, "SELECT * FROM shared." + table))
                        .hasMessageContaining("permission denied for table " + table);
            }
            assertThatThrownBy(() -> execute(role, "CREATE TABLE shared.mine (id int)"))
                    .hasMessageContaining("permission denied");
            assertThatThrownBy(() -> execute(role, "DELETE FROM shared.muster_migrations"))
                    .hasMessageContaining("permission denied");
        }
        assertThatThrownBy(() -> execute(reader, "DELETE FROM shared.muster_jobs"))
                .hasMessageContaining("permission denied");
    }
}
