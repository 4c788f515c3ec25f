package dev.muster.internal.recovery;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.engine.EngineIT;
import dev.muster.engine.SetClock;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.testing.LongTest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Whom a cluster declares dead, and whom it does not. */
@Order(1)
class FailureDetectionIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    /** What a user gets, but for the lease: after most of it without the database handlers are interrupted. */
    private static final Map<String, String> DEFAULTS = Map.of(
            "worker.lease", "60s",
            "worker.renew", "10s",
            "worker.sweep_interval", "5s",
            "cluster.heartbeat_interval", "5s",
            "cluster.dead_threshold", "15s",
            "leader.lease", "15s",
            "leader.renew", "5s",
            "leader.check_interval", "5s");

    /** Thresholds that a busy machine does not reach, and frequent looks. */
    private static final Map<String, String> FREQUENT = Map.of(
            "worker.lease", "60s",
            "worker.renew", "500ms",
            "worker.sweep_interval", "200ms",
            "cluster.heartbeat_interval", "500ms",
            "cluster.dead_threshold", "30s",
            "leader.lease", "30s",
            "leader.renew", "1s",
            "leader.check_interval", "1s");

    /** Longer than it takes with them until leases are swept again. */
    private static final Duration UNTIL_SWEPT = Duration.ofSeconds(6);

    private static final String LONG_UP = "UPDATE muster_nodes SET in_touch_since = in_touch_since - interval '1 hour'";

    /** Jobs that run until they are let go. */
    static final class LongJobs {
        final CountDownLatch mayLeave = new CountDownLatch(1);

        @Job("long")
        public void run(JobContext context) throws InterruptedException {
            mayLeave.await();
        }

        @Job(value = "once", maxAttempts = 1)
        public void once(JobContext context) throws InterruptedException {
            mayLeave.await();
        }
    }

    private static List<String> lives(Cluster cluster) {
        return cluster.client().nodes().stream()
                .map(node -> node.id() + " " + node.incarnation())
                .toList();
    }

    private static List<JobInfo> running(Cluster cluster) {
        return cluster.jobs().list(JobQuery.all().status(JobStatus.RUNNING));
    }

    /** Nobody is declared dead, no handler is interrupted, no job is charged. */
    private static void nobodyDiesAndNothingIsCharged(Cluster cluster, List<String> lives, Duration period) {
        nothingHappensFor(period, () -> {
            assertThat(lives(cluster)).isEqualTo(lives);
            assertThat(running(cluster)).hasSize(4).allSatisfy(job -> {
                assertThat(job.crashes()).isZero();
                assertThat(job.attempt()).isEqualTo(1);
            });
        });
    }

    private List<Node> nodesWithFourJobs(Cluster cluster) {
        List<Node> nodes = List.of(cluster.node(), cluster.node());
        for (String name : List.of("long", "long", "once", "once")) {
            cluster.jobs().enqueue(JobRequest.of(name, null));
        }
        await().atMost(SOON).until(() -> running(cluster).size() == 4);
        database.execute(LONG_UP);
        return nodes;
    }

    /** The outage is one by the database's clock: a minute passes while nobody is in touch. */
    @Test
    void neitherAClockThatIsSetNorAnOutageKillsAnybodyOrChargesAnything() {
        LongJobs jobs = new LongJobs();
        try (Cluster cluster = Cluster.on(database, FREQUENT).register(jobs)) {
            List<Node> nodes = nodesWithFourJobs(cluster);
            List<String> lives = lives(cluster);

            SetClock.ahead(database, Duration.ofSeconds(120));
            nobodyDiesAndNothingIsCharged(cluster, lives, UNTIL_SWEPT);

            database.execute(LONG_UP);
            nodes.forEach(Node::cutDatabase);
            SetClock.ahead(database, Duration.ofSeconds(240));
            nodes.forEach(Node::restoreDatabase);
            nobodyDiesAndNothingIsCharged(cluster, lives, UNTIL_SWEPT);
            jobs.mayLeave.countDown();
        }
    }

    @Test
    @LongTest(
            twin = FailureDetectionIT.class,
            test = "neitherAClockThatIsSetNorAnOutageKillsAnybodyOrChargesAnything",
            why = "the thresholds that a user gets, and an outage of twenty seconds")
    void withDefaultsNeitherAClockThatIsSetNorAnOutageKillsAnybodyOrChargesAnything() {
        LongJobs jobs = new LongJobs();
        try (Cluster cluster = Cluster.on(database, DEFAULTS).register(jobs)) {
            List<Node> nodes = nodesWithFourJobs(cluster);
            List<String> lives = lives(cluster);

            SetClock.ahead(database, Duration.ofSeconds(120));
            nobodyDiesAndNothingIsCharged(cluster, lives, Duration.ofSeconds(23));

            database.execute(LONG_UP);
            nodes.forEach(Node::cutDatabase);
            nothingHappensFor(
                    Duration.ofSeconds(20), () -> assertThat(lives(cluster)).isEqualTo(lives));
            nodes.forEach(Node::restoreDatabase);
            nobodyDiesAndNothingIsCharged(cluster, lives, Duration.ofSeconds(23));
            jobs.mayLeave.countDown();
        }
    }

    private void silent(String id) {
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at) VALUES ('" + id
                + "', gen_random_uuid(), 'active', clock_timestamp() - interval '1 min',"
                + " interval '1 s', clock_timestamp())");
    }

    private static NodeInfo row(Muster asked, String id) {
        return asked.nodes().stream()
                .filter(node -> node.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** The claims of one node cannot be released, for whatever reason. */
    @Test
    void aReleaseThatFailsKeepsNobodyElseFromBeingJudgedAndNoLeaseFromBeingSwept() {
        Muster node = node(FREQUENT);
        database.execute(LONG_UP);
        database.execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at,"
                        + " args, node_id, token, lease_until, attempt) SELECT gen_random_uuid(), 'of_' || n, 'default', 50, 50,"
                        + " 'claimed', now(), now(), now(), '{}', n, nextval('muster_job_token_seq'),"
                        + " clock_timestamp() + CASE n WHEN 'gone' THEN interval '0' ELSE interval '1 hour' END, 1"
                        + " FROM unnest(ARRAY['good', 'hexed', 'gone']) n");
        database.execute(
                "INSERT INTO muster_claims (node_id, number, lease_until, ids) SELECT node_id, token, lease_until,"
                        + " ARRAY[id] FROM muster_jobs");
        database.execute("CREATE FUNCTION hex() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'hexed'; END $$");
        database.execute("CREATE TRIGGER hex BEFORE UPDATE ON muster_jobs FOR EACH ROW WHEN (OLD.node_id = 'hexed')"
                + " EXECUTE FUNCTION hex()");
        silent("hexed");
        silent("good");
        database.execute("UPDATE muster_nodes SET current_jobs = 3 WHERE id IN ('hexed', 'good')");

        await().atMost(SOON)
                .until(() -> row(node, "good").status() == NodeStatus.DEAD
                        && node.jobs()
                                        .list(JobQuery.all().status(JobStatus.PENDING))
                                        .size()
                                == 2);

        assertThat(row(node, "hexed").status()).isNotEqualTo(NodeStatus.DEAD);
        assertThat(row(node, "hexed").apparentStatus()).isEqualTo(NodeStatus.DEAD);
        assertThat(row(node, "hexed").currentJobs()).isZero();
        assertThat(database.number("SELECT jobs_running FROM muster_cluster WHERE id = 'hexed'"))
                .isZero();
        database.execute("DROP TRIGGER hex ON muster_jobs");
        await().atMost(SOON).until(() -> row(node, "hexed").status() == NodeStatus.DEAD);
    }

    /** Work continues; crons do not, and the node says so. */
    @Test
    void aNodeThatMayNotLeadSaysThatNobodyDoes() {
        Muster worker = node(Map.of("node.mode", "worker", "leader.lease", "2s", "leader.renew", "1s"));
        await().atMost(SOON).until(() -> worker.health().detail().contains("nobody leads the scheduler"));
        assertThat(worker.health().ok()).isTrue();
        node(Map.of());
        await().atMost(SOON).until(() -> worker.health().detail().isEmpty());
    }
}
