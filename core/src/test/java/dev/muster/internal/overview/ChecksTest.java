package dev.muster.internal.overview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.NodeRole;
import dev.muster.daemon.DaemonInfo;
import dev.muster.internal.overview.ClusterReading.BlockedRuns;
import dev.muster.internal.overview.ClusterReading.CronProblem;
import dev.muster.internal.overview.ClusterReading.DeadLetters;
import dev.muster.internal.overview.ClusterReading.DueJobs;
import dev.muster.job.JobCount;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import dev.muster.leader.LeaderRole;
import dev.muster.overview.Finding;
import dev.muster.overview.Finding.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChecksTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    /** A healthy cluster, of which tests change a part. */
    private static final class Draft {
        private List<NodeInfo> nodes = List.of(node("n1", NodeStatus.ACTIVE, Duration.ofSeconds(2), 1));
        private List<LeaderInfo> leaders = Arrays.stream(LeaderRole.values())
                .map(role -> leader(role.text(), "n1", Duration.ofSeconds(-5)))
                .toList();
        private List<QueueInfo> queues = List.of(queue("mail", null, Duration.ofSeconds(5)));
        private List<DaemonInfo> daemons = List.of(daemon(DaemonInfo.Status.RUNNING));
        private DeadLetters dead = new DeadLetters(new JobCount(7, true), JobCount.ZERO, Optional.of(ago(7_200)));
        private List<DueJobs> due = List.of(new DueJobs("send", "mail", ago(300), new JobCount(3, true)));
        private List<BlockedRuns> blocked = List.of();
        private List<CronProblem> crons = List.of();
        private List<String> missing = List.of();

        List<Finding> findings() {
            return Checks.findings(
                    new ClusterReading(NOW, nodes, leaders, queues, daemons, dead, due, blocked, crons, missing));
        }
    }

    private static Instant ago(long seconds) {
        return NOW.minusSeconds(seconds);
    }

    private static NodeInfo node(String id, NodeStatus status, Duration silent, int running) {
        return new NodeInfo(
                id,
                new UUID(1, 1),
                Optional.empty(),
                NodeStatus.ACTIVE,
                status,
                Set.of(NodeRole.WORKER),
                Optional.empty(),
                ago(9_000),
                NOW.minus(silent),
                silent,
                Duration.ofSeconds(5),
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of("send"),
                List.of(),
                List.of(new ExecutorInfo("default", "threads", 4, running, 0)),
                List.of("unrouted"),
                1,
                running,
                0.5,
                1,
                Optional.empty());
    }

    private static LeaderInfo leader(String role, @Nullable String node, Duration expiredFor) {
        return new LeaderInfo(
                role,
                Optional.ofNullable(node),
                1,
                1,
                node == null ? NOW.minus(expiredFor) : ago(9_000),
                NOW.minus(expiredFor),
                !expiredFor.isNegative());
    }

    private static QueueInfo queue(String name, @Nullable Duration pausedFor, Duration oldestDue) {
        return new QueueInfo(
                name,
                Optional.ofNullable(pausedFor).map(NOW::minus),
                0,
                12,
                0,
                0,
                Optional.of(NOW.minus(oldestDue)),
                QueueLimit.NONE,
                Set.of());
    }

    private static DaemonInfo daemon(DaemonInfo.Status status) {
        return new DaemonInfo(
                "feed",
                Optional.empty(),
                status,
                Optional.of("n1"),
                Optional.of(1L),
                0,
                Optional.of(ago(60)),
                Optional.of("as always"),
                Optional.of(ago(600)));
    }

    @Test
    void aHealthyClusterNeedsNoAttention() {
        assertThat(new Draft().findings()).isEmpty();
    }

    @Test
    void everyCheckSaysWhatItAsksAndWhatToDo() {
        assertThat(Checks.ALL).extracting(Check::name).doesNotHaveDuplicates();
        assertThat(Checks.ALL).allSatisfy(check -> {
            assertThat(check.name()).matches("[a-z_]+");
            assertThat(check.question()).endsWith("?");
            assertThat(check.advice()).isNotBlank();
        });
    }

    @Test
    void noWorker() {
        Draft cluster = new Draft();
        cluster.nodes = List.of(node("n1", NodeStatus.DEAD, Duration.ofMinutes(4), 0));

        assertThat(cluster.findings())
                .containsExactly(new Finding(
                        "no_worker",
                        Severity.CRITICAL,
                        "No node has run jobs for 4 minutes: start a node with the role worker",
                        "nodes"));

        cluster.nodes = List.of();
        assertThat(cluster.findings())
                .extracting(Finding::message)
                .containsExactly("No node runs jobs: start a node with the role worker");
    }

    @Test
    void noLeader() {
        Draft cluster = new Draft();
        cluster.leaders = List.of(
                leader("scheduler", null, Duration.ofMinutes(2)),
                leader("metrics_aggregator", "n1", Duration.ofSeconds(20)));

        assertThat(cluster.findings())
                .extracting(Finding::message)
                .containsExactly(
                        "Nobody has led the role scheduler for 2 minutes: start a node with the role scheduler",
                        "Nobody has ever led the role log_compactor: start a node with the role scheduler");
    }

    @Test
    void staleNode() {
        Draft cluster = new Draft();
        cluster.nodes = List.of(
                node("n1", NodeStatus.ACTIVE, Duration.ofSeconds(1), 0),
                node("n2", NodeStatus.STALE, Duration.ofSeconds(40), 0));

        assertThat(cluster.findings())
                .containsExactly(new Finding(
                        "stale_node",
                        Severity.WARNING,
                        "Node n2 has been silent for 40 seconds: see whether its process runs and reaches the database",
                        "nodes/n2"));
    }

    @Test
    void strandedRuns() {
        Draft cluster = new Draft();
        cluster.blocked =
                List.of(new BlockedRuns("order", "v1", "no live node has it", ago(90), new JobCount(2, true)));

        assertThat(cluster.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo("stranded_runs");
            assertThat(finding.message())
                    .startsWith(
                            "2 runs of workflow order v1 have been blocked for 1 minute, because no live node has it");
        });
    }

    @Test
    void jobWithoutHandler() {
        Draft cluster = new Draft();
        cluster.due = List.of(
                new DueJobs("nobody", "mail", ago(300), new JobCount(3, true)),
                new DueJobs("unrouted", "mail", ago(300), new JobCount(50, false)),
                new DueJobs("workflow:order:v1:abc", "mail", ago(300), new JobCount(1, true)),
                new DueJobs("new", "mail", ago(10), new JobCount(1, true)),
                new DueJobs("other", "paused", ago(300), new JobCount(1, true)));
        cluster.queues = List.of(queue("paused", Duration.ofHours(3), Duration.ofHours(3)));

        assertThat(cluster.findings())
                .filteredOn(finding -> finding.kind().equals("job_without_handler"))
                .extracting(Finding::message, Finding::page)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                "3 jobs 'nobody' in queue mail have been due for up to 5 minutes, and no live node has"
                                        + " a handler: start a node with a handler for it, or cancel these jobs",
                                "jobs?status=pending&q=name:nobody"),
                        org.assertj.core.groups.Tuple.tuple(
                                "50 or more jobs 'unrouted' in queue mail have been due for up to 5 minutes, and no live"
                                        + " node routes them to an executor: start a node with a handler for it, or cancel"
                                        + " these jobs",
                                "jobs?status=pending&q=name:unrouted"));
    }

    @Test
    void deadLetters() {
        Draft cluster = new Draft();
        cluster.dead = new DeadLetters(new JobCount(20, true), new JobCount(12, true), Optional.of(ago(180)));

        assertThat(cluster.findings())
                .extracting(Finding::message)
                .containsExactly(
                        "12 jobs failed for good within the last hour, the last one 3 minutes ago: see why, and"
                                + " retry them");
    }

    @Test
    void pausedQueue() {
        Draft cluster = new Draft();
        cluster.queues = List.of(queue("mail", Duration.ofHours(3), Duration.ofHours(3)));

        assertThat(cluster.findings())
                .containsExactly(new Finding(
                        "paused_queue",
                        Severity.WARNING,
                        "Queue mail has been paused for 3 hours, and 12 jobs wait in it: resume it when its jobs may run"
                                + " again",
                        "queues/mail"));
    }

    @Test
    void failedDaemon() {
        Draft cluster = new Draft();
        cluster.daemons = List.of(daemon(DaemonInfo.Status.FAILED));

        assertThat(cluster.findings())
                .extracting(Finding::message)
                .containsExactly("Daemon feed has failed, 10 minutes ago: see its error, mend the cause, and reset it");
    }

    @Test
    void cronProblem() {
        Draft cluster = new Draft();
        cluster.crons = List.of(new CronProblem("nightly", "args do not fit", Optional.of(ago(60))));

        assertThat(cluster.findings())
                .extracting(Finding::message)
                .containsExactly(
                        "Cron nightly could not enqueue its job, which has been due for 1 minute (args do not fit):"
                                + " change the cron, or start a node that has its job");
    }

    @Test
    void backlogAndFullExecutor() {
        Draft cluster = new Draft();
        cluster.queues =
                List.of(queue("mail", null, Duration.ofSeconds(90)), queue("slow", null, Duration.ofMinutes(20)));
        cluster.nodes = List.of(node("n1", NodeStatus.ACTIVE, Duration.ofSeconds(1), 4));

        assertThat(cluster.findings())
                .extracting(Finding::message)
                .containsExactly(
                        "The oldest due job of queue slow has waited for 20 minutes: start more nodes, or raise the limit of"
                                + " the queue",
                        "The oldest due job of queue mail has waited for 1 minute: start more nodes, or raise the limit of the"
                                + " queue",
                        "All 4 slots of executor default on 1 node are taken, and jobs wait: start more nodes, make it"
                                + " larger, or see why its handlers take so long");
    }

    @Test
    void whatCouldNotBeReadInTimeIsSaid() {
        Draft cluster = new Draft();
        cluster.missing = List.of("the counts of jobs");

        assertThat(cluster.findings())
                .extracting(Finding::kind, Finding::message)
                .singleElement()
                .asString()
                .contains("slow_database", "The database could not read the counts of jobs within 250 ms: ");
    }

    @Test
    void theWorstComesFirstAndManyOfAKindAreCounted() {
        Draft cluster = new Draft();
        cluster.queues = IntStream.range(0, 8)
                .mapToObj(i -> queue("q" + i, Duration.ofHours(3), Duration.ofHours(3)))
                .toList();
        cluster.daemons = List.of(daemon(DaemonInfo.Status.FAILED));

        List<Finding> findings = cluster.findings();

        assertThat(findings).hasSize(7);
        assertThat(findings.get(0).kind()).isEqualTo("failed_daemon");
        assertThat(findings.get(6).message()).isEqualTo("There are 3 more of this kind");
    }
}
