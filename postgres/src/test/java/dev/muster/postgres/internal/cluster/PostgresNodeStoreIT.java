package dev.muster.postgres.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.contracts.internal.Nodes;
import dev.muster.internal.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.internal.cluster.NodeStore;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.internal.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.internal.cluster.NodeStore.MarkedNode;
import dev.muster.internal.cluster.NodeStore.OverdueNode;
import dev.muster.internal.cluster.NodeStore.OverdueWork;
import dev.muster.internal.cluster.NodeStore.SilenceLimits;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What PostgreSQL adds to the contract of nodes: floors, row locks, and times of contact in the rows. Time passes by moving heartbeats and leases into the past. */
class PostgresNodeStoreIT {
    private static final SilenceLimits PATIENCE =
            new SilenceLimits(Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(7));
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final NodeLoad LOAD =
            new NodeLoad(2, 3, 0.5, 1_000, List.of(new ExecutorInfo("default", "threads", 16, 3, 1)));

    private FreshDatabase database;
    private PostgresStore store;
    private NodeStore nodes;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        database.stopClock();
        store = database.store();
        store.connect(new Store.Events() {
            @Override
            public void nodesChanged() {}

            @Override
            public void reconnected() {}
        });
        nodes = store.nodes();
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private UUID join(String id) {
        UUID incarnation = UUID.randomUUID();
        assertThat(nodes.join(Nodes.registration(id, incarnation), NodeStatus.ACTIVE, null, null))
                .isPresent();
        return incarnation;
    }

    private HeartbeatAnswer beat(String id, UUID incarnation, Duration interval) {
        return nodes.heartbeat(id, incarnation, LOAD, interval, Nodes.unbroken(Duration.ofDays(1)));
    }

    /** Sent after so long by the node's own clock. */
    private HeartbeatAnswer beatAfter(String id, UUID incarnation, int seconds, boolean unbroken) {
        SinceLastHeartbeat since = Nodes.since(unbroken, Duration.ofSeconds(seconds), Duration.ofSeconds(5));
        return nodes.heartbeat(id, incarnation, LOAD, Duration.ofSeconds(5), since);
    }

    /** For how long the node's row says that it has had the database. */
    private long secondsInTouch(String id) {
        return database.number("SELECT extract(epoch FROM muster_clock() - in_touch_since)::bigint FROM muster_nodes"
                + " WHERE id = '" + id + "'");
    }

    private void inTouchFor(String id, int seconds) {
        database.execute("UPDATE muster_nodes SET in_touch_since = muster_clock() - interval '" + seconds
                + " seconds' WHERE id = '" + id + "'");
    }

    /** The node was last heard of that long ago, and so were its claims made or renewed. */
    private void silence(String id, int seconds) {
        database.execute("UPDATE muster_nodes SET last_heartbeat = muster_clock() - interval '" + seconds
                + " seconds' WHERE id = '" + id + "'");
        lease("muster_clock() + interval '" + (30 - seconds) + " seconds' WHERE node_id = '" + id + "'");
    }

    private void lease(String until) {
        database.execute("UPDATE muster_jobs SET lease_until = " + until);
        database.execute("UPDATE muster_claims SET lease_until = " + until);
    }

    private record Verdicts(List<MarkedNode> marked, List<Recovered> released, List<String> removed) {}

    /** This node has had the database for hours, and was heard of just now. */
    private String judging(String markOverdue) {
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at, in_touch_since) VALUES ('" + markOverdue
                + "', gen_random_uuid(), 'active', muster_clock(),"
                + " interval '5 s', muster_clock(), muster_clock() - interval '3 hours') ON CONFLICT (id) DO UPDATE"
                + " SET last_heartbeat = excluded.last_heartbeat, in_touch_since = excluded.in_touch_since");
        return markOverdue;
    }

    private Verdicts markOverdue(String markOverdue) {
        return judgeAsItIs(judging(markOverdue));
    }

    private Verdicts judgeAsItIs(String markOverdue) {
        Verdicts verdicts = new Verdicts(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        OverdueWork overdueWork = nodes.overdueWork(markOverdue, PATIENCE);
        for (String node : overdueWork.overdue()) {
            OverdueNode one = store.leaders().unfenced(tx -> nodes.markOverdue(tx, markOverdue, PATIENCE, node));
            verdicts.marked().addAll(one.marked().stream().toList());
            verdicts.released().addAll(one.released());
        }
        if (overdueWork.isDue(Duty.REMOVE_DEAD_NODES)) {
            verdicts.removed().addAll(store.leaders().unfenced(nodes::removeDead));
        }
        return verdicts;
    }

    private NodeStatus status(String id) {
        return NodeStatus.stored(database.column("SELECT status FROM muster_nodes WHERE id = '" + id + "'")
                .get(0));
    }

    private ClaimedJob claim(String node, JobDraft draft) {
        store.jobs().enqueue(List.of(draft.job()));
        ClaimFilter filter = new ClaimFilter(node, null, Set.of(), Set.of("a"), LEASE);
        return store.claims()
                .openClaims(filter)
                .exchange(List.of(), 1)
                .claimed()
                .get(0);
    }

    private JobInfo job(ClaimedJob claimed) {
        return store.jobReader().find(claimed.id()).orElseThrow();
    }

    /** As after an outage of minutes: the job's lease was renewed since, and nobody has swept leases yet. */
    @Test
    void aJudgeThatHasFallenBehindWithSweepingTakesOverWhatItHasNotSwept() {
        join("a");
        ClaimedJob held = claim("a", JobDraft.named("a"));
        String markOverdue = judging("b");
        silence("a", 16);
        database.execute("UPDATE muster_claims SET lease_until = muster_clock() - interval '5 minutes'");
        FreshDatabase.floors(store)
                .noLeaseRanOut(database.number(
                        "SELECT (extract(epoch FROM muster_clock() - interval '6 minutes') * 1000000)::bigint"));

        assertThat(judgeAsItIs(markOverdue).released()).hasSize(1);
        assertThat(job(held).status()).isEqualTo(JobStatus.PENDING);
    }

    /** The row's lock is held, as by a heartbeat on its way: the judge passes by and finds the node alive the next time. */
    @Test
    void aHeartbeatThatComesInTimeWins() throws Exception {
        join("a");
        silence("a", 16);
        try (Connection heartbeat = database.transaction()) {
            heartbeat
                    .createStatement()
                    .execute("UPDATE muster_nodes SET last_heartbeat = muster_clock() WHERE id = 'a'");
            assertThat(markOverdue("b").marked()).isEmpty();
            heartbeat.commit();
        }
        assertThat(markOverdue("b").marked()).isEmpty();
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void theAgendaSaysWhatThereIsToDoAndWhenToLookAgain() {
        assertThat(nodes.overdueWork("b", PATIENCE))
                .as("asked by a node that is not there")
                .satisfies(work -> {
                    assertThat(work.overdue()).isEmpty();
                    assertThat(work.nextOverdue()).isEmpty();
                    assertThat(work.inTouch()).isEmpty();
                    assertThat(work.duties()).isEmpty();
                });
        join("a");
        silence("a", 4);
        OverdueWork overdueWork = nodes.overdueWork(judging("b"), PATIENCE);
        assertThat(overdueWork.overdue()).isEmpty();
        assertThat(overdueWork.inTouch().orElseThrow()).isGreaterThan(Duration.ofHours(2));
        assertThat(overdueWork.nextOverdue().orElseThrow()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(6));

        claim("a", JobDraft.named("a"));
        lease("muster_clock() - interval '1 second'");
        assertThat(nodes.overdueWork("b", PATIENCE).isDue(Duty.RECOVER_LEASES)).isTrue();
        lease("muster_clock() - interval '1 day'");
        assertThat(nodes.overdueWork("b", PATIENCE).isDue(Duty.RECOVER_LEASES)).isFalse();

        store.jobs().enqueue(List.of(JobDraft.named("late").job()));
        database.execute("UPDATE muster_jobs SET expires_at = muster_clock() WHERE name = 'late'");
        assertThat(nodes.overdueWork("b", PATIENCE).isDue(Duty.EXPIRE_JOBS))
                .as("before everything was searched once")
                .isFalse();
        assertThat(store.recovery().searchOverdue().expired()).isTrue();
        store.leaders().unfenced(tx -> store.recovery().expire(tx, 10, true));
        assertThat(store.recovery().searchOverdue().expired()).isFalse();
        store.jobs().enqueue(List.of(JobDraft.named("late").job()));
        database.execute("UPDATE muster_jobs SET expires_at = muster_clock() WHERE name = 'late'");
        assertThat(nodes.overdueWork("b", PATIENCE).isDue(Duty.EXPIRE_JOBS)).isTrue();
    }

    /** In a rolling upgrade the function may already be that of the next version. */
    @Test
    void aDutyOfALaterVersionIsIgnored() {
        join("a");
        claim("a", JobDraft.named("a"));
        lease("muster_clock() - interval '1 second'");
        String later = database.column("SELECT pg_get_functiondef('muster_overdue_duties'::regproc)")
                .get(0)
                .replace("array_remove(ARRAY[", "array_remove(ARRAY['of_a_later_version',");
        assertThat(later).contains("of_a_later_version");
        database.execute(later);

        assertThat(nodes.overdueWork(judging("b"), PATIENCE).duties()).containsExactly(Duty.RECOVER_LEASES);
    }

    /** Whatever the judge itself has seen: a node that was in touch before and after extends it. */
    @Test
    void timesOfNodesThatOverlapAreOne() {
        join("a");
        silence("a", 20);
        join("elder");
        inTouchFor("elder", 3_000);
        join("judge");
        inTouchFor("judge", 1);

        database.execute("UPDATE muster_nodes SET last_heartbeat = muster_clock() - interval '3 s' WHERE id = 'elder'");
        assertThat(nodes.overdueWork("judge", PATIENCE).inTouch().orElseThrow()).isLessThan(Duration.ofSeconds(10));
        assertThat(judgeAsItIs("judge").marked()).isEmpty();

        database.execute("UPDATE muster_nodes SET last_heartbeat = muster_clock() WHERE id = 'elder'");
        assertThat(nodes.overdueWork("judge", PATIENCE).inTouch().orElseThrow())
                .isGreaterThan(Duration.ofSeconds(2_999));
        assertThat(judgeAsItIs("judge").marked()).extracting(MarkedNode::id).containsExactly("a");
    }

    /** One was in touch until 10 s ago, one from 12 s to 4 s ago, the judge since 5 s. */
    @Test
    void timesOverlapFromOneNodeToTheNext() {
        for (String id : List.of("first", "second", "judge")) {
            join(id);
        }
        silence("first", 10);
        inTouchFor("first", 500);
        silence("second", 4);
        inTouchFor("second", 12);
        inTouchFor("judge", 5);
        assertThat(nodes.overdueWork("judge", PATIENCE).inTouch().orElseThrow()).isGreaterThan(Duration.ofSeconds(499));

        inTouchFor("second", 9);
        assertThat(nodes.overdueWork("judge", PATIENCE).inTouch().orElseThrow())
                .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(20));
    }

    @Test
    void aHeartbeatTellsForHowLongTheNodeHasHadTheDatabase() {
        UUID a = join("a");
        inTouchFor("a", 100);
        silence("a", 20);
        beatAfter("a", a, 20, true);
        assertThat(secondsInTouch("a")).isBetween(100L, 110L);

        silence("a", 1);
        beatAfter("a", a, 1, false);
        assertThat(secondsInTouch("a")).as("its contact had broken").isLessThan(10);

        inTouchFor("a", 100);
        silence("a", 60);
        beatAfter("a", a, 5, true);
        assertThat(secondsInTouch("a")).as("the clock was set forward by 55 s").isLessThan(10);

        inTouchFor("a", 100);
        silence("a", -60);
        beatAfter("a", a, 5, true);
        assertThat(secondsInTouch("a")).as("the clock was set back by 65 s").isLessThan(10);

        join("elder");
        inTouchFor("elder", 1_000);
        beatAfter("a", a, 0, true);
        assertThat(secondsInTouch("a")).as("as another node has seen").isBetween(1_000L, 1_010L);
    }

    /** A heartbeat from the future says nothing about now. */
    @Test
    void whoDiedBeforeTheClockWasSetBackIsFound() {
        join("a");
        silence("a", -3_600);
        join("judge");
        inTouchFor("judge", 14);
        judgeAsItIs("judge");
        assertThat(status("a")).isEqualTo(NodeStatus.STALE);
        inTouchFor("judge", 15);
        judgeAsItIs("judge");
        assertThat(status("a")).isEqualTo(NodeStatus.DEAD);
    }

    /** It would have sent a heartbeat with a short interval at once. */
    @Test
    void whoClaimsAndIsNotHeardOfIsDeadByTheThresholdWhateverItsInterval() {
        UUID idle = join("idle");
        beat("idle", idle, Duration.ofSeconds(60));
        ClaimedJob job = claim("idle", JobDraft.named("a"));
        silence("idle", 40);
        lease("muster_clock() + interval '16 seconds'");
        assertThat(markOverdue("b").marked()).extracting(MarkedNode::now).containsExactly(NodeStatus.STALE);
        lease("muster_clock() + interval '15 seconds'");
        assertThat(markOverdue("b").released()).extracting(Recovered::id).containsExactly(job.id());
        assertThat(status("idle")).isEqualTo(NodeStatus.DEAD);

        UUID other = join("other");
        claim("other", JobDraft.named("a"));
        beat("other", other, Duration.ofSeconds(60));
        silence("other", 40);
        assertThat(markOverdue("b").marked())
                .as("its last heartbeat came after the claim")
                .isEmpty();
    }

    @Test
    void theViewShowsEachNodeByItsOwnInterval() {
        UUID a = join("a");
        beat("a", a, Duration.ofSeconds(60));
        join("b");
        claim("b", JobDraft.named("a"));
        database.execute("UPDATE muster_nodes SET last_heartbeat = muster_clock() - interval '70 seconds'");
        lease("muster_clock() - interval '40 seconds'");
        database.execute(
                "UPDATE muster_leaders l SET node_id = n.id, incarnation = n.incarnation, term = 1, timeline = 1,"
                        + " strategy = 'advisory', expires_at = muster_clock() + interval '15 seconds'"
                        + " FROM muster_nodes n WHERE l.role = 'scheduler' AND n.id = 'a'");

        assertThat(database.column(
                        "SELECT concat_ws(' ', id, status, jobs_held, leads) FROM muster_cluster ORDER BY id"))
                .containsExactly("a active 0 {scheduler}", "b dead 1 {}");
        assertThat(nodes.leaders())
                .filteredOn(LeaderInfo::isHeld)
                .singleElement()
                .satisfies(leader -> {
                    assertThat(leader.node()).contains("a");
                    assertThat(leader.isHeld()).isTrue();
                });
    }
}
