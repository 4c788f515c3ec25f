package dev.muster.cluster;

import static dev.muster.testing.Periods.measureFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.leader.LeaderRole;
import dev.muster.testing.LongTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What nodes that have nothing to do cost the database. */
class IdleClusterIT extends NodesOnTheirOwnServerIT {
    private static final Logger log = LoggerFactory.getLogger(IdleClusterIT.class);

    /** Of heartbeats, the leader's renewals and its looks for work, in the test that counts them. */
    private static final Duration INTERVAL = Duration.ofMillis(200);

    private static final String HEARTBEAT = "WITH beat AS ( UPDATE public.muster_nodes";

    private static final String DUTIES_ALONE = "SELECT * FROM public.muster_overdue_duties";

    /** Heartbeats, the leader's renewals, and looks for duties and jobs: several of them may be one statement. */
    private static final List<String> REPEATED = List.of(
            HEARTBEAT,
            "WITH renewed AS ( UPDATE public.muster_leaders",
            DUTIES_ALONE,
            "SELECT kind, queue, capability, rank");

    @Test
    @LongTest(
            twin = IdleClusterIT.class,
            test = "anIdleLeaderRepeatsWhatItMustAndNothingElse",
            why = "how many statements per second they are")
    void anIdleNodeOfAStableClusterOfTenSendsLessThanOneStatementPerSecond() throws Exception {
        for (int i = 0; i < 10; i++) {
            start("n" + i, Map.of("cluster.heartbeat_interval", "500ms", "cluster.stale_threshold", "5s"));
        }
        nodes.get(0).jobs().enqueue("idle", null);
        await("all but the leader are quiet")
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> nodes.get(0).nodes().stream()
                                .filter(node -> node.heartbeatInterval().toSeconds() >= 4)
                                .count()
                        == 9);
        execute("CREATE EXTENSION pg_stat_statements");
        execute("SELECT pg_stat_statements_reset()");
        long start = System.nanoTime();
        measureFor(WATCHED);
        Map<String, Long> calls = calls();
        double seconds = (System.nanoTime() - start) / 1e9;

        double perNode = calls.values().stream().mapToLong(Long::longValue).sum() / seconds / nodes.size();
        log.info("an idle node sends {} statements per second: {}", perNode, calls);
        assertThat(perNode).as(calls.toString()).isPositive().isLessThan(0.9);
    }

    /** A hundred queues with a limit that have no jobs, and keys: half of them have a job for tomorrow, and half have none. */
    private void limitsAndKeysWithNothingToDo(int keys) throws SQLException {
        execute("INSERT INTO muster_queues (name, max_running) SELECT 'empty' || i, 1 FROM generate_series(1, 100) i");
        execute(
                "INSERT INTO muster_concurrency_groups (concurrency_group, used_at) SELECT 'key/idle/' || i, muster_clock()"
                        + " FROM generate_series(1, " + keys + ") i");
        execute(
                "INSERT INTO muster_jobs (id, name, queue, priority, rank, status, run_at, ready_at, created_at, args, concurrency_group,"
                        + " group_position) SELECT gen_random_uuid(), 'idle', 'default', 50, 50, 'waiting', muster_clock(), 'infinity',"
                        + " muster_clock(), 'null', 'key/idle/' || i, muster_clock() + interval '1 day'"
                        + " FROM generate_series(1, " + keys / 2 + ") i");
    }

    /**
     * That it lives, that it leads and a look for work, whatever limits and keys there are. How many statements per second they are is measured by
     * the other tests.
     */
    @Test
    void anIdleLeaderRepeatsWhatItMustAndNothingElse() throws Exception {
        execute("CREATE EXTENSION pg_stat_statements");
        String interval = INTERVAL.toMillis() + "ms";
        start(
                "n0",
                Map.of(
                        "cluster.heartbeat_interval", interval,
                        "worker.sweep_interval", interval,
                        "leader.renew", interval,
                        "leader.check_interval", interval));
        limitsAndKeysWithNothingToDo(1_000);
        nodes.get(0).jobs().enqueue("idle", null);
        await().until(() -> number("SELECT count(*) FROM muster_jobs WHERE concurrency_group IS NULL") == 0
                && nodes.get(0).leadership(LeaderRole.SCHEDULER).isLeader());
        long start = System.nanoTime();
        execute("SELECT pg_stat_statements_reset()");
        await().atMost(Duration.ofMinutes(3)).until(() -> beats(calls()) >= 60);

        Map<String, Long> calls = calls();
        // A busy machine lets more time pass, in which no loop sends more than it has intervals.
        long intervals = (System.nanoTime() - start) / INTERVAL.toNanos();
        // What is sent without a pause is sent a hundred times as often.
        assertThat(calls.values()).as("in %d intervals: %s", intervals, calls).allMatch(count -> count < intervals * 4);
        calls.keySet().removeIf(sql -> REPEATED.stream().anyMatch(sql::startsWith));
        assertThat(calls.values()).as("in %d intervals: %s", intervals, calls).allMatch(count -> count < intervals / 2);
    }

    private static long beats(Map<String, Long> calls) {
        return calls.entrySet().stream()
                .filter(call -> call.getKey().startsWith(HEARTBEAT))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    @Test
    @LongTest(
            twin = IdleClusterIT.class,
            test = "anIdleLeaderRepeatsWhatItMustAndNothingElse",
            why = "that it is one statement, which holds while nothing is late")
    void aLeaderSaysThatItLivesAndLeadsAndAsksWhatThereIsToDoInOneStatement() throws Exception {
        Map<String, String> everySecond = Map.of(
                "cluster.heartbeat_interval", "1s",
                "leader.renew", "1s",
                "leader.check_interval", "1s",
                "worker.sweep_interval", "1s");
        start("n0", everySecond);
        execute("CREATE EXTENSION pg_stat_statements");
        await().until(() -> nodes.get(0).leadership(LeaderRole.SCHEDULER).isLeader());
        // All of them come into step.
        measureFor(Duration.ofSeconds(2));
        execute("SELECT pg_stat_statements_reset()");
        measureFor(Duration.ofSeconds(5));
        Map<String, Long> calls = calls();
        long looksAlone = calls.entrySet().stream()
                .filter(call -> call.getKey().startsWith(DUTIES_ALONE))
                .mapToLong(Map.Entry::getValue)
                .sum();

        assertThat(looksAlone)
                .as("of five or so, those that did not come with a heartbeat: %s", calls)
                .isLessThan(3);
    }

    /** What was sent how often, but for what this test asks. */
    private Map<String, Long> calls() throws SQLException {
        String sql = "SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 60), sum(calls) FROM pg_stat_statements"
                + " WHERE query NOT LIKE '%pg_stat_statements%' AND query NOT LIKE 'SET application_name%' GROUP BY 1 ORDER BY 2 DESC";
        Map<String, Long> calls = new LinkedHashMap<>();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                calls.put(rows.getString(1), rows.getLong(2));
            }
        }
        return calls;
    }
}
