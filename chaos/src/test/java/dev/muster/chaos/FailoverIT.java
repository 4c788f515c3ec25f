package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.LeaderConfig;
import dev.muster.config.MusterConfig;
import dev.muster.examples.Greetings;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.LeaderElection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A primary with a streaming standby, promotions, and an old primary that comes back. */
class FailoverIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Map<String, String> QUICK =
            Map.of("leader.check_interval", "300ms", "leader.renew", "300ms", "leader.lease", "10s");

    private ReplicaPair servers;

    @BeforeEach
    void start() {
        servers = new ReplicaPair();
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private static PGSimpleDataSource source(String url) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    private static LeaderElection candidate(String url, String node, LeaderConfig.Strategy strategy) {
        return new LeaderElection(
                source(url),
                node,
                LeaderRole.SCHEDULER,
                new LeaderConfig(strategy, SECOND, SECOND.multipliedBy(60), SECOND));
    }

    private static Object mark(Connection tx) throws SQLException {
        try (Statement statement = tx.createStatement()) {
            return statement.executeUpdate("INSERT INTO public.mark VALUES (1)");
        }
    }

    private static Muster node(String id, String url, Map<String, String> settings) {
        MusterConfig config = MusterConfig.defaults()
                .with(QUICK)
                .with(Map.of("node.id", id, "database.url", url))
                .with(settings);
        return Muster.builder().config(config).register(new Greetings()).build();
    }

    @Test
    void onAStandbyNobodyWins() {
        try (LeaderElection one = candidate(servers.primaryUrl(), "one", LeaderConfig.Strategy.ADVISORY)) {
            servers.awaitCaughtUp();
            for (String migrate : new String[] {"auto", "off"}) {
                try (Muster node = node("n", servers.standbyUrl(), Map.of("database.migrate", migrate))) {
                    assertThatThrownBy(node::start)
                            .isInstanceOf(DatabaseUnavailable.class)
                            .hasMessageContaining("the database is a standby and takes no writes");
                    assertThat(node.leadership(LeaderRole.SCHEDULER).isLeader()).isFalse();
                }
            }
            assertThat(one.tryBecomeLeader()).isTrue();
        }
    }

    /** The standby had not heard of the second term when it was promoted, and issues it again. */
    @Test
    void aTermThatIsIssuedTwiceIsToldApartByItsTimeline() {
        LeaderTerm lost;
        LeaderConfig.Strategy lease = LeaderConfig.Strategy.LEASE;
        try (LeaderElection one = candidate(servers.primaryUrl(), "one", lease)) {
            ReplicaPair.execute(servers.primaryUrl(), "CREATE TABLE mark (id int)");
            assertThat(one.tryBecomeLeader()).isTrue();
            one.releaseLeadership();
            servers.awaitCaughtUp();
            servers.cutReplication();
            assertThat(one.tryBecomeLeader()).isTrue();
            lost = one.leadership().current().orElseThrow();
            servers.promote();

            try (LeaderElection two = candidate(servers.standbyUrl(), "two", lease)) {
                assertThat(two.tryBecomeLeader()).isTrue();
                LeaderTerm again = two.leadership().current().orElseThrow();
                assertThat(again.term()).isEqualTo(lost.term()).isEqualTo(2);
                assertThat(again.timeline()).isEqualTo(lost.timeline() + 1);
                two.leadership().fenced(FailoverIT::mark);

                try (var store = StoreOf.dataSource(source(servers.standbyUrl()))) {
                    assertThatThrownBy(() -> store.leaders().fenced(lost, SECOND, FailoverIT::mark))
                            .isInstanceOf(StaleLeader.class);
                }
                // And the other way round: the new leader's write does not get into the old primary.
                try (var store = StoreOf.dataSource(source(servers.primaryUrl()))) {
                    assertThatThrownBy(() -> store.leaders().fenced(again, SECOND, FailoverIT::mark))
                            .isInstanceOf(StaleLeader.class);
                }
            }
        }
        assertThat(ReplicaPair.text(servers.standbyUrl(), "SELECT count(*)::text FROM mark"))
                .isEqualTo("1");
        assertThat(ReplicaPair.text(servers.primaryUrl(), "SELECT count(*)::text FROM mark"))
                .isEqualTo("0");
    }

    /** A URL with two hosts is enough: the node finds the new primary, leads there and works there. */
    @Test
    void aNodeFollowsThePrimaryAndNotTheOneThatComesBack() {
        try (Muster node = node("n", servers.bothUrl(), Map.of())) {
            node.start();
            LeaderTerm before = node.leadership(LeaderRole.SCHEDULER).current().orElseThrow();
            awaitCompleted(node, "before");
            servers.awaitCaughtUp();

            servers.stopPrimary();
            servers.promote();

            awaitCompleted(node, "after");
            LeaderTerm after = await("a new election")
                    .atMost(SOON)
                    .until(
                            () -> node.leadership(LeaderRole.SCHEDULER).current(),
                            term -> term.filter(found -> found.timeline() > before.timeline())
                                    .isPresent())
                    .orElseThrow();
            assertThat(after.timeline()).as("a new election").isEqualTo(before.timeline() + 1);
            assertThat(after.term()).isGreaterThan(before.term());
            try (var store = StoreOf.dataSource(source(servers.standbyUrl()))) {
                assertThatThrownBy(() -> store.leaders().fenced(before, SECOND, tx -> null))
                        .isInstanceOf(StaleLeader.class);
            }
            assertThat(ReplicaPair.text(servers.standbyUrl(), "SELECT count(*)::text FROM muster_job_history"))
                    .isEqualTo("2");

            servers.returnOldPrimary();
            ReplicaPair.execute(
                    servers.standbyUrl(),
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'muster' AND datname = current_database()");
            awaitCompleted(node, "still there");
            assertThat(ReplicaPair.text(servers.standbyUrl(), "SELECT count(*)::text FROM muster_job_history"))
                    .isEqualTo("3");

            servers.stopStandby();
            await("that it says why it does not use the old one").atMost(SOON).untilAsserted(() -> {
                assertThat(node.leadership(LeaderRole.SCHEDULER).isLeader()).isFalse();
                assertThat(node.health().detail()).contains("an old primary came back");
            });
            // Nor does it write there what others ask it to. The first to ask may get a connection that has just
            // broken.
            await().atMost(SOON)
                    .untilAsserted(() -> assertThatThrownBy(() ->
                                    node.jobs().enqueue(JobRequest.of("my_task", new MyTask("on the old primary"))))
                            .isInstanceOf(DatabaseUnavailable.class)
                            .hasMessageContaining("an old primary came back"));
            assertThatThrownBy(() -> node.locks().tryAcquire("on-the-old-primary", SECOND))
                    .isInstanceOf(DatabaseUnavailable.class);
            assertThat(ReplicaPair.text(servers.primaryUrl(), "SELECT term::text FROM muster_leaders LIMIT 1"))
                    .isEqualTo(String.valueOf(before.term()));
            assertThat(ReplicaPair.text(
                            servers.primaryUrl(),
                            "SELECT (SELECT count(*) FROM muster_jobs) + (SELECT count(*) FROM muster_job_history) || ' '"
                                    + " || (SELECT count(*) FROM muster_locks)"))
                    .as("one job, from before")
                    .isEqualTo("1 0");
            servers.startStandby();
            await().atMost(SOON)
                    .until(() -> node.leadership(LeaderRole.SCHEDULER).isLeader());
        }
    }

    private static void awaitCompleted(Muster node, String what) {
        await(what)
                .atMost(SOON)
                .ignoreExceptionsInstanceOf(MusterException.class)
                .until(() -> {
                    JobId id = node.jobs()
                            .enqueue(JobRequest.of("my_task", new MyTask(what)).key(what));
                    return node.jobs().find(id).orElseThrow().status() == JobStatus.COMPLETED;
                });
    }
}
