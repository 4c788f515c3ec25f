package dev.muster.postgres.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Store;
import dev.muster.cluster.DatabaseContact.SinceLastHeartbeat;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore;
import dev.muster.cluster.NodeStore.HeartbeatAnswer;
import dev.muster.cluster.NodeStore.Joined;
import dev.muster.cluster.NodeStore.Load;
import dev.muster.cluster.NodeStore.MarkedNode;
import dev.muster.cluster.NodeStore.OverdueNode;
import dev.muster.cluster.NodeStore.OverdueWork;
import dev.muster.cluster.NodeStore.Registration;
import dev.muster.cluster.NodeStore.SilenceLimits;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.contracts.JobDraft;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.JobStore;
import dev.muster.job.store.JobStore.Recovered;
import dev.muster.job.store.JobStore.Start;
import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.PostgresStore;
import dev.muster.postgres.SinceLast;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guards on nodes that live in SQL. Time passes by moving heartbeats and leases into the past. */
class PostgresNodeStoreIT {
    private static final SilenceLimits PATIENCE =
            new SilenceLimits(Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(7));
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Load LOAD = new Load(2, 3, 0.5, 1_000);

    private FreshDatabase database;
    private PostgresStore store;
    private NodeStore nodes;
    private JobStore jobs;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
        store = database.store();
        store.connect(new Store.Events() {
            @Override
            public void nodesChanged() {}

            @Override
            public void reconnected() {}
        });
        nodes = store.nodes();
        jobs = store.jobs();
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private static Registration registration(String id, UUID incarnation) {
        return new Registration(
                id,
                incarnation,
                null,
                EnumSet.allOf(NodeRole.class),
                null,
                null,
                Set.of("general"),
                Map.of("zone", "eu", "disk", "ssd"),
                List.of(),
                Duration.ofSeconds(5),
                LEASE,
                true,
                SilenceLimits.of(MusterConfig.defaults().cluster()),
                "test");
    }

    private UUID join(String id) {
        UUID incarnation = UUID.randomUUID();
        assertThat(nodes.join(registration(id, incarnation), NodeStatus.ACTIVE, null, null))
                .isPresent();
        return incarnation;
    }

    private HeartbeatAnswer beat(String id, UUID incarnation, Duration interval) {
        return nodes.heartbeat(id, incarnation, LOAD, interval, SinceLast.unbroken(Duration.ofDays(1)));
    }

    /** Sent after so long by the node's own clock. */
    private HeartbeatAnswer beatAfter(String id, UUID incarnation, int seconds, boolean unbroken) {
        SinceLastHeartbeat since = SinceLast.of(unbroken, Duration.ofSeconds(seconds), Duration.ofSeconds(5));
        return nodes.heartbeat(id, incarnation, LOAD, Duration.ofSeconds(5), since);
    }

    /** For how long the node's row says that it has had the database. */
    private long secondsInTouch(String id) {
        return database.number("SELECT extract(epoch FROM clock_timestamp() - in_touch_since)::bigint FROM muster_nodes"
                + " WHERE id = '" + id + "'");
    }

    private void inTouchFor(String id, int seconds) {
        database.execute("UPDATE muster_nodes SET in_touch_since = clock_timestamp() - interval '" + seconds
                + " seconds' WHERE id = '" + id + "'");
    }

    /** The node was last heard of that long ago, and so were its claims made or renewed. */
    private void silence(String id, int seconds) {
        database.execute("UPDATE muster_nodes SET last_heartbeat = clock_timestamp() - interval '" + seconds
                + " seconds' WHERE id = '" + id + "'");
        lease("clock_timestamp() + interval '" + (30 - seconds) + " seconds' WHERE node_id = '" + id + "'");
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
                + "', gen_random_uuid(), 'active', clock_timestamp(),"
                + " interval '5 s', clock_timestamp(), clock_timestamp() - interval '3 hours') ON CONFLICT (id) DO UPDATE"
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
        if (overdueWork.removeDead()) {
            verdicts.removed().addAll(store.leaders().unfenced(nodes::removeDead));
        }
        return verdicts;
    }

    private NodeStatus status(String id) {
        return NodeStatus.parse(database.column("SELECT status FROM muster_nodes WHERE id = '" + id + "'")
                .get(0));
    }

    private ClaimedJob claim(String node, JobDraft draft) {
        jobs.enqueue(List.of(draft.job()));
        ClaimScope scope = new ClaimScope(node, null, Set.of(), Set.of("a"), LEASE);
        return jobs.openClaims(scope).exchange(List.of(), 1).claimed().get(0);
    }

    private ClaimedJob running(String node, int maxAttempts, int maxCrashes) {
        ClaimedJob job = claim(node, JobDraft.named("a"));
        jobs.markRunning(List.of(new Start(job.claim(), maxAttempts, maxCrashes, 0)));
        return job;
    }

    private JobInfo job(ClaimedJob claimed) {
        return jobs.find(claimed.id()).orElseThrow();
    }

    @Test
    void aHeartbeatTellsTheLoadAndTheIntervalAndHowTheRowStands() {
        UUID a = join("a");

        HeartbeatAnswer pulse = beat("a", a, Duration.ofSeconds(20));

        assertThat(pulse.rowState()).isEqualTo(HeartbeatAnswer.RowState.OWN);
        assertThat(nodes.list()).singleElement().satisfies(node -> {
            assertThat(node.heartbeatInterval()).isEqualTo(Duration.ofSeconds(20));
            assertThat(node.currentConnections()).isEqualTo(2);
            assertThat(node.currentJobs()).isEqualTo(3);
            assertThat(node.cpuUsage()).isEqualTo(0.5);
            assertThat(node.memoryUsage()).isEqualTo(1_000);
            assertThat(node.roles()).containsExactly(NodeRole.values());
        });
        assertThat(beat("a", a, Duration.ofSeconds(20)).members()).isEqualTo(pulse.members());
        UUID b = join("b");
        assertThat(beat("a", a, Duration.ofSeconds(20)).members()).isNotEqualTo(pulse.members());
        nodes.leave("b", b);
        assertThat(beat("a", a, Duration.ofSeconds(20)).members()).isEqualTo(pulse.members());
    }

    /** As after an outage of minutes: the job's lease was renewed since, and nobody has swept leases yet. */
    @Test
    void aJudgeThatHasFallenBehindWithSweepingTakesOverWhatItHasNotSwept() {
        join("a");
        ClaimedJob held = claim("a", JobDraft.named("a"));
        String markOverdue = judging("b");
        silence("a", 16);
        database.execute("UPDATE muster_claims SET lease_until = clock_timestamp() - interval '5 minutes'");
        FreshDatabase.floors(store)
                .noLeaseRanOut(database.number(
                        "SELECT (extract(epoch FROM clock_timestamp() - interval '6 minutes') * 1000000)::bigint"));

        assertThat(judgeAsItIs(markOverdue).released()).hasSize(1);
        assertThat(job(held).status()).isEqualTo(JobStatus.PENDING);
    }

    @Test
    void anOlderIncarnationIsToldThatItsRowIsTaken() {
        UUID older = join("a");
        UUID newer = join("a");

        assertThat(beat("a", older, Duration.ofSeconds(5)).rowState()).isEqualTo(HeartbeatAnswer.RowState.TAKEN);
        assertThat(beat("a", newer, Duration.ofSeconds(5)).rowState()).isEqualTo(HeartbeatAnswer.RowState.OWN);
        nodes.leave("a", older);
        assertThat(nodes.move("a", older, Set.of(NodeStatus.ACTIVE), NodeStatus.DRAINING))
                .isFalse();
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);
        assertThat(nodes.join(registration("a", UUID.randomUUID()), NodeStatus.ACTIVE, older, null))
                .as("joining again takes over nothing but its own row")
                .isEmpty();
    }

    @Test
    void everyoneIsJudgedByItsOwnInterval() {
        UUID slow = join("slow");
        beat("slow", slow, Duration.ofSeconds(60));
        join("quick");
        silence("slow", 100);
        silence("quick", 12);
        assertThat(markOverdue("judge").marked()).extracting(MarkedNode::id).containsExactly("quick");
        assertThat(status("quick")).isEqualTo(NodeStatus.STALE);
        assertThat(status("slow")).isEqualTo(NodeStatus.ACTIVE);

        silence("slow", 121);
        silence("quick", 16);
        markOverdue("judge");
        assertThat(status("slow")).isEqualTo(NodeStatus.STALE);
        assertThat(status("quick")).isEqualTo(NodeStatus.DEAD);

        assertThat(beat("slow", slow, Duration.ofSeconds(5)).status()).isEqualTo(NodeStatus.ACTIVE);
        assertThat(markOverdue("judge").marked()).isEmpty();
    }

    @Test
    void whoDrainsStaysSoUntilItIsDead() {
        UUID a = join("a");
        assertThat(nodes.drain("a")).isTrue();
        silence("a", 12);
        assertThat(markOverdue("judge").marked()).isEmpty();
        assertThat(beat("a", a, Duration.ofSeconds(5)).status()).isEqualTo(NodeStatus.DRAINING);
        silence("a", 16);
        markOverdue("judge");
        assertThat(status("a")).isEqualTo(NodeStatus.DEAD);
        assertThat(nodes.drain("a")).isFalse();
        assertThat(nodes.drain("nobody")).isFalse();
    }

    @Test
    void nobodyJudgesItself() {
        join("a");
        silence("a", 3_600);

        assertThat(nodes.overdueWork("a", PATIENCE).overdue()).isEmpty();
        assertThat(nodes.overdueWork(judging("b"), PATIENCE).overdue()).containsExactly("a");
        assertThat(markOverdue("a").marked()).isEmpty();
    }

    @Test
    void aDeadNodesClaimsAreReleasedInTheSameTransaction() throws Exception {
        UUID a = join("a");
        ClaimedJob buffered = claim("a", JobDraft.named("a"));
        ClaimedJob running = running("a", 3, 5);
        ClaimedJob once = running("a", 1, 0);
        ClaimedJob others = running("b", 3, 5);
        silence("a", 16);

        try (Connection tx = database.transaction()) {
            OverdueNode overdue = nodes.markOverdue(tx, judging("b"), PATIENCE, "a");
            assertThat(overdue.released())
                    .extracting(Recovered::id)
                    .containsExactlyInAnyOrder(buffered.id(), running.id(), once.id());
            assertThat(overdue.released()).extracting(Recovered::node).containsOnly("a");
            tx.rollback();
        }
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);
        assertThat(job(running).status()).isEqualTo(JobStatus.RUNNING);

        markOverdue("b");

        assertThat(status("a")).isEqualTo(NodeStatus.DEAD);
        assertThat(job(buffered)).satisfies(j -> {
            assertThat(j.status()).isEqualTo(JobStatus.PENDING);
            assertThat(j.crashes()).isZero();
        });
        assertThat(job(running)).satisfies(j -> {
            assertThat(j.status()).isEqualTo(JobStatus.PENDING);
            assertThat(j.crashes()).isEqualTo(1);
        });
        assertThat(job(once).status()).isEqualTo(JobStatus.FAILED);
        assertThat(job(others).status()).isEqualTo(JobStatus.RUNNING);
        assertThat(beat("a", a, Duration.ofSeconds(5)).rowState()).isEqualTo(HeartbeatAnswer.RowState.DEAD);
        assertThat(markOverdue("b").marked()).isEmpty();
    }

    /** The row's lock is held, as by a heartbeat on its way: the judge passes by and finds the node alive the next time. */
    @Test
    void aHeartbeatThatComesInTimeWins() throws Exception {
        join("a");
        silence("a", 16);
        try (Connection heartbeat = database.transaction()) {
            heartbeat
                    .createStatement()
                    .execute("UPDATE muster_nodes SET last_heartbeat = clock_timestamp() WHERE id = 'a'");
            assertThat(markOverdue("b").marked()).isEmpty();
            heartbeat.commit();
        }
        assertThat(markOverdue("b").marked()).isEmpty();
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void aClaimIsAsGoodAsAHeartbeat() {
        join("a");
        silence("a", 16);
        ClaimedJob job = claim("a", JobDraft.named("a"));

        assertThat(markOverdue("b").marked()).isEmpty();
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);

        silence("a", 16);
        assertThat(markOverdue("b").released()).extracting(Recovered::id).containsExactly(job.id());
    }

    @Test
    void aProcessUnderTheSameIdTakesOverWhatTheOldOneHeld() {
        join("a");
        ClaimedJob buffered = claim("a", JobDraft.named("a"));
        ClaimedJob running = running("a", 3, 5);

        Joined joined = nodes.join(registration("a", UUID.randomUUID()), NodeStatus.JOINING, null, null)
                .orElseThrow();

        assertThat(joined.predecessor()).isNotNull();
        assertThat(joined.released()).hasSize(2);
        assertThat(job(buffered).crashes()).isZero();
        assertThat(job(running).crashes()).isEqualTo(1);
        assertThat(job(running).status()).isEqualTo(JobStatus.PENDING);
        assertThat(nodes.join(registration("new", UUID.randomUUID()), NodeStatus.JOINING, null, null))
                .get()
                .satisfies(fresh -> {
                    assertThat(fresh.predecessor()).isNull();
                    assertThat(fresh.released()).isEmpty();
                });
    }

    /** Its handlers were interrupted, not killed: no crash. But what may run only once has run. */
    @Test
    void aNodeThatJoinsAgainIsChargedNothing() {
        UUID first = join("a");
        ClaimedJob buffered = claim("a", JobDraft.named("a"));
        ClaimedJob running = running("a", 3, 5);
        ClaimedJob once = running("a", 1, 0);
        UUID second = UUID.randomUUID();

        assertThat(nodes.join(registration("a", second), NodeStatus.ACTIVE, first, null)
                        .orElseThrow()
                        .released())
                .hasSize(3);
        assertThat(nodes.join(registration("a", second), NodeStatus.ACTIVE, first, null))
                .as("repeated because the answer was lost")
                .isPresent();

        assertThat(job(buffered).status()).isEqualTo(JobStatus.PENDING);
        assertThat(job(running)).satisfies(j -> {
            assertThat(j.status()).isEqualTo(JobStatus.PENDING);
            assertThat(j.crashes()).isZero();
        });
        assertThat(job(once).status()).isEqualTo(JobStatus.FAILED);
    }

    @Test
    void theDeadAreRemovedAfterAnHour() {
        join("a");
        silence("a", 16);
        markOverdue("b");
        silence("a", 3_500);
        assertThat(nodes.overdueWork(judging("b"), PATIENCE).removeDead()).isFalse();
        silence("a", 3_700);
        assertThat(nodes.overdueWork("b", PATIENCE).removeDead()).isTrue();
        assertThat(markOverdue("b").removed()).containsExactly("a");
        assertThat(nodes.list()).extracting(NodeInfo::id).containsExactly("b");
    }

    @Test
    void theAgendaSaysWhatThereIsToDoAndWhenToLookAgain() {
        assertThat(nodes.overdueWork("b", PATIENCE))
                .as("asked by a node that is not there")
                .isEqualTo(new OverdueWork(List.of(), false, Optional.empty(), Optional.empty(), false, false, false));
        join("a");
        silence("a", 4);
        OverdueWork overdueWork = nodes.overdueWork(judging("b"), PATIENCE);
        assertThat(overdueWork.overdue()).isEmpty();
        assertThat(overdueWork.inTouch().orElseThrow()).isGreaterThan(Duration.ofHours(2));
        assertThat(overdueWork.nextOverdue().orElseThrow()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(6));

        claim("a", JobDraft.named("a"));
        lease("clock_timestamp() - interval '1 second'");
        assertThat(nodes.overdueWork("b", PATIENCE).leases()).isTrue();
        lease("clock_timestamp() - interval '1 day'");
        assertThat(nodes.overdueWork("b", PATIENCE).leases()).isFalse();

        jobs.enqueue(List.of(JobDraft.named("late").job()));
        database.execute("UPDATE muster_jobs SET expires_at = clock_timestamp() WHERE name = 'late'");
        assertThat(nodes.overdueWork("b", PATIENCE).expired())
                .as("before everything was searched once")
                .isFalse();
        assertThat(jobs.searchOverdue().expired()).isTrue();
        store.leaders().unfenced(tx -> jobs.expire(tx, 10, true));
        assertThat(jobs.searchOverdue().expired()).isFalse();
        jobs.enqueue(List.of(JobDraft.named("late").job()));
        database.execute("UPDATE muster_jobs SET expires_at = clock_timestamp() WHERE name = 'late'");
        assertThat(nodes.overdueWork("b", PATIENCE).expired()).isTrue();
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

        database.execute(
                "UPDATE muster_nodes SET last_heartbeat = clock_timestamp() - interval '3 s' WHERE id = 'elder'");
        assertThat(nodes.overdueWork("judge", PATIENCE).inTouch().orElseThrow()).isLessThan(Duration.ofSeconds(10));
        assertThat(judgeAsItIs("judge").marked()).isEmpty();

        database.execute("UPDATE muster_nodes SET last_heartbeat = clock_timestamp() WHERE id = 'elder'");
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
    void afterAnOutageEveryoneHasTheDeadThresholdToComeBack() {
        join("a");
        silence("a", 600);
        join("judge");
        inTouchFor("judge", 8);
        assertThat(judgeAsItIs("judge").marked()).isEmpty();
        assertThat(nodes.overdueWork("judge", PATIENCE).nextOverdue().orElseThrow())
                .isLessThan(Duration.ofSeconds(3));
        inTouchFor("judge", 14);
        judgeAsItIs("judge");
        assertThat(status("a")).isEqualTo(NodeStatus.STALE);
        inTouchFor("judge", 15);
        judgeAsItIs("judge");
        assertThat(status("a")).isEqualTo(NodeStatus.DEAD);
    }

    @Test
    void whoWasNotHeardOfJustNowJudgesNobody() {
        join("a");
        silence("a", 600);
        judging("judge");
        silence("judge", 8);
        assertThat(judgeAsItIs("judge").marked()).isEmpty();
        assertThat(nodes.overdueWork("judge", PATIENCE).inTouch()).isEmpty();
        OverdueNode overdue = store.leaders().unfenced(tx -> nodes.markOverdue(tx, "judge", PATIENCE, "a"));
        assertThat(overdue.marked()).isEmpty();
    }

    @Test
    void aHeartbeatTellsForHowLongTheNodeHasHadTheDatabase() {
        UUID a = join("a");
        inTouchFor("a", 100);
        silence("a", 20);
        beatAfter("a", a, 20, true);
        assertThat(secondsInTouch("a")).isBetween(100L, 110L);

        beatAfter("a", a, 0, false);
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
        lease("clock_timestamp() + interval '16 seconds'");
        assertThat(markOverdue("b").marked()).extracting(MarkedNode::now).containsExactly(NodeStatus.STALE);
        lease("clock_timestamp() + interval '15 seconds'");
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

    /** Of the same process; a new one under its id has not been told to drain. */
    @Test
    void anOrderToDrainOutlivesTheVerdict() {
        UUID first = join("a");
        nodes.drain("a");
        silence("a", 16);
        markOverdue("b");
        UUID second = UUID.randomUUID();
        assertThat(nodes.join(registration("a", second), NodeStatus.ACTIVE, first, null)
                        .orElseThrow()
                        .status())
                .isEqualTo(NodeStatus.DRAINING);
        assertThat(nodes.join(registration("a", second), NodeStatus.ACTIVE, first, null)
                        .orElseThrow()
                        .status())
                .as("repeated because the answer was lost")
                .isEqualTo(NodeStatus.DRAINING);

        silence("a", 16);
        markOverdue("b");
        assertThat(nodes.join(registration("a", UUID.randomUUID()), NodeStatus.ACTIVE, null, null)
                        .orElseThrow()
                        .status())
                .isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void theViewShowsEachNodeByItsOwnInterval() {
        UUID a = join("a");
        beat("a", a, Duration.ofSeconds(60));
        join("b");
        claim("b", JobDraft.named("a"));
        database.execute("UPDATE muster_nodes SET last_heartbeat = clock_timestamp() - interval '70 seconds'");
        lease("clock_timestamp() - interval '40 seconds'");
        database.execute(
                "UPDATE muster_leaders l SET node_id = n.id, incarnation = n.incarnation, term = 1, timeline = 1,"
                        + " strategy = 'advisory', expires_at = clock_timestamp() + interval '15 seconds'"
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
