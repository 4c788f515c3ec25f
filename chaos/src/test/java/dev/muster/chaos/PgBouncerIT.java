package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.leader.LeaderRole;
import dev.muster.runtime.MusterException;
import dev.muster.testing.LongTest;
import dev.muster.testing.Program;
import dev.muster.testkit.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Behind a PgBouncer in transaction mode: refused with advice, or at work with the portable profile. */
class PgBouncerIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    private final List<AutoCloseable> opened = new ArrayList<>();
    private TestDatabase database;
    private PgBouncer bouncer;

    @BeforeAll
    static void needPgBouncer() {
        Program.PGBOUNCER.require();
    }

    @BeforeEach
    void open() {
        database = TestDatabase.fromEnv();
        bouncer = PgBouncer.start(
                URI.create(database.url().substring("jdbc:".length())).getPort());
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        if (bouncer != null) {
            bouncer.close();
        }
        database.close();
    }

    private MusterBuilder node(String id, Map<String, String> settings) {
        MusterConfig config = MusterConfig.defaults()
                .with(Map.of(
                        "node.id", id,
                        "worker.max_poll_interval", "200ms",
                        "database.url", bouncer.url(database.url()),
                        "leader.check_interval", "300ms",
                        "leader.renew", "1s",
                        "leader.lease", "1m"))
                .with(settings);
        return Muster.builder().config(config).register(new Greetings());
    }

    private Muster opened(Muster muster) {
        opened.add(0, muster);
        return muster;
    }

    @Test
    void whatNeedsSessionsIsRefusedWithAdvice() {
        Muster node = opened(node("a", Map.of()).build());

        assertThatThrownBy(node::start)
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("a pooler in transaction mode")
                .hasMessageContaining("database.profile = portable");
    }

    @Test
    void whatIsRefusedHasChangedNothing() throws Exception {
        String name = "empty_" + Long.toHexString(System.nanoTime());
        String direct = EmbeddedPostgres.shared().databases().create(name);
        try (Muster node =
                node("a", Map.of("database.url", bouncer.url(direct))).build()) {
            assertThatThrownBy(node::start).hasMessageContaining("a pooler in transaction mode");
            assertThat(ReplicaPair.text(direct, "SELECT (to_regclass('muster_migrations') IS NULL)::text"))
                    .isEqualTo("true");
        } finally {
            bouncer.close();
            EmbeddedPostgres.shared().databases().drop(name);
        }
    }

    /** Handlers get a pool of connections, too, and what the driver prepares there would be another session's. */
    @LongTest(
            twin = PgBouncerIT.class,
            test = "thePortableProfileWorks",
            why = "each kind of handler behind the pooler, not only jobs")
    @Test
    void handlersOfThePortableProfileWork() {
        MusterNodes nodes = new MusterNodes();
        opened.add(nodes);
        String url = bouncer.url(database.url());
        MusterNodes.awaitUp(nodes.launch("a", url, "database.profile=portable"));
        try (Muster client = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .build()) {
            List<JobId> jobs = client.jobs()
                    .enqueueAll(IntStream.range(0, 600)
                            .mapToObj(i -> JobRequest.of("count", new Count("k" + i, null))
                                    .maxAttempts(1))
                            .toList());
            await().atMost(SOON)
                    .until(() -> database.number("SELECT count(*) FROM muster_job_history WHERE name = 'count'")
                            == jobs.size());
        }
        assertThat(database.column("SELECT DISTINCT status || coalesce(error, '') FROM muster_job_history"))
                .containsExactly("completed");
    }

    @Test
    void thePortableProfileWorks() {
        worksBehindIt(
                node("a", Map.of("database.profile", "portable")), node("b", Map.of("database.profile", "portable")));
    }

    /** Whatever the driver was told there. */
    @Test
    void thePortableProfileWorksWithTheHostsOwnPool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(bouncer.url(database.url()));
        config.setMaximumPoolSize(12);
        config.setMinimumIdle(0);
        HikariDataSource pool = new HikariDataSource(config);
        opened.add(pool);
        worksBehindIt(
                node("a", Map.of("database.profile", "portable")).dataSource(pool),
                node("b", Map.of("database.profile", "portable")).dataSource(pool));
    }

    private void worksBehindIt(MusterBuilder one, MusterBuilder two) {
        Muster a = opened(one.build());
        Muster b = opened(two.build());
        a.start();
        b.start();
        assertThat(a.leadership(LeaderRole.SCHEDULER).isLeader()).isTrue();
        assertThat(b.leadership(LeaderRole.SCHEDULER).isLeader()).isFalse();

        for (int round = 0; round < 4; round++) {
            List<JobId> jobs = a.jobs()
                    .enqueueAll(IntStream.range(0, 30)
                            .mapToObj(i -> JobRequest.of("my_task", new MyTask("task " + i)))
                            .toList());
            await().atMost(SOON)
                    .until(() -> jobs.stream()
                            .allMatch(id -> a.jobs().find(id).orElseThrow().status() == JobStatus.COMPLETED));
        }
        a.leadership(LeaderRole.SCHEDULER).fenced(tx -> tx.isClosed());
        assertThat(database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database ="
                        + " (SELECT oid FROM pg_database WHERE datname = current_database())"))
                .isZero();
        assertThat(a.health().detail()).isEmpty();
        assertThat(b.health().detail()).isEmpty();

        a.close();
        await().atMost(SOON).until(() -> b.leadership(LeaderRole.SCHEDULER).isLeader());
    }
}
