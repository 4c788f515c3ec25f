package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.examples.ExampleApp;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.Fence;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.lock.HeldLock;
import dev.muster.runtime.MusterException;
import dev.muster.testing.LongTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL's own timeline starts again at 1, as after pg_upgrade: fences keep growing, and nodes keep working. */
class ServerUpgradeIT extends ChaosIT {
    private static final String DATABASE = "upgraded";
    private static final Duration WITHIN = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    private EmbeddedPostgres server;
    private int port;
    private String url;

    @BeforeEach
    void startServerThatHasFailedOverOnce() throws IOException {
        server = EmbeddedPostgres.builder().dataDirectory(folder).start();
        port = server.port();
        url = server.jdbcUrl(DATABASE);
        server.databases().create(DATABASE);
        server.close();
        Files.createFile(folder.resolve("pgdata/standby.signal"));
        start();
        ReplicaPair.execute(server.jdbcUrl(), "SELECT pg_promote(true, 60)");
        await().atMost(WITHIN)
                .until(() -> ReplicaPair.text(server.jdbcUrl(), "SELECT pg_is_in_recovery()::text")
                        .equals("false"));
    }

    private void start() {
        server = EmbeddedPostgres.builder().dataDirectory(folder).port(port).start();
    }

    @AfterEach
    void stopServer() {
        closeProcesses();
        server.close();
    }

    @LongTest(
            twin = DatabaseOutageIT.class,
            test = "aRestartAndAnOutageLongerThanTheLeaseAreSurvivedAndANodeLeavesInTimeMeanwhile",
            why = "a new server with the data of the old one, and everything that has a lease or a session")
    @Test
    void daemonsLocksAndLeadersGoOnByThemselves() {
        // In real time: the daemon of the node that is killed goes to the other one.
        Map<String, String> settings = Map.of(
                "database.url", url,
                "app", ExampleApp.class.getName(),
                "worker.lease", "10s",
                "cluster.stale_threshold", "10s",
                "cluster.dead_threshold", "15s");
        NodeProcess running = node("running", settings);
        try (Muster observer = Muster.builder()
                .config(MusterConfig.defaults().with("database.url", url))
                .build()) {
            awaitPrice("timeline = 2");
            Fence lock = lock(observer);
            assertThat(lock.timeline()).isEqualTo(2);
            String price = price();
            String leaders = leaders();
            assertThat(leaders).startsWith("2 ");

            server.close();
            new WalReset(folder.resolve("pgdata")).toFirstTimeline();
            start();
            assertThat(ReplicaPair.text(url, "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"))
                    .isEqualTo("00000001");

            awaitLeader("running");
            awaitPrice("(timeline, token, updated_at) > (" + price + ")");
            assertThat(lock(observer)).isGreaterThan(lock);
            awaitCompleted(observer, "with the node that was running");

            price = price();
            NodeProcess fresh = node("fresh", settings);
            running.kill9();
            awaitLeader("fresh");
            awaitPrice("(timeline, token) > (" + price.replaceAll(", '.*", "") + ")");
            awaitCompleted(observer, "with a fresh node");
            assertThat(fresh.isAlive()).isTrue();
        }
    }

    private void awaitPrice(String condition) {
        await("the feed writes: " + condition)
                .atMost(WITHIN)
                .ignoreExceptions()
                .until(() -> ReplicaPair.text(url, "SELECT count(*)::text FROM example_price WHERE " + condition)
                        .equals("1"));
    }

    private String price() {
        return ReplicaPair.text(
                url, "SELECT timeline || ', ' || token || ', ''' || updated_at || '''' FROM example_price");
    }

    /** All three, as (timeline, term). */
    private String leaders() {
        return ReplicaPair.text(url, "SELECT min(timeline) || ' ' || min(term) FROM muster_leaders");
    }

    private void awaitLeader(String node) {
        await(node + " leads on the new timeline")
                .atMost(WITHIN)
                .until(() -> ReplicaPair.text(
                                url,
                                "SELECT count(*)::text FROM muster_leaders l JOIN muster_server s ON s.timeline = l.timeline"
                                        + " WHERE s.timeline > 2 AND l.term > 1 AND l.node_id = '" + node
                                        + "' AND l.expires_at > muster_clock()")
                        .equals("3"));
    }

    private static Fence lock(Muster observer) {
        try (HeldLock held = await("the lock")
                .atMost(WITHIN)
                .ignoreExceptions()
                .until(() -> observer.locks().tryAcquire("upgraded", Duration.ofMinutes(1)), Optional::isPresent)
                .orElseThrow()) {
            return held.fence();
        }
    }

    private static void awaitCompleted(Muster observer, String what) {
        await(what)
                .atMost(WITHIN)
                .ignoreExceptionsInstanceOf(MusterException.class)
                .until(() -> observer.jobs()
                                .find(observer.jobs()
                                        .enqueue(JobRequest.of("my_task", new MyTask(what))
                                                .key(what)))
                                .orElseThrow()
                                .status()
                        == JobStatus.COMPLETED);
    }
}
