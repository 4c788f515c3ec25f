package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Store;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.NodeStore;
import dev.muster.cluster.NodeStore.Agenda;
import dev.muster.cluster.NodeStore.Joined;
import dev.muster.cluster.NodeStore.Judgement;
import dev.muster.cluster.NodeStore.Load;
import dev.muster.cluster.NodeStore.Marked;
import dev.muster.cluster.NodeStore.Patience;
import dev.muster.cluster.NodeStore.Pulse;
import dev.muster.cluster.NodeStore.Pulse.Standing;
import dev.muster.cluster.NodeStore.Registration;
import dev.muster.config.NodeRole;
import dev.muster.contracts.JobDraft;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimedJob;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.JobStore;
import dev.muster.job.JobStore.Recovered;
import dev.muster.job.JobStore.Start;
import java.sql.Connection;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The guards on nodes that live in SQL. Time passes by moving heartbeats and leases into the past. */
class PostgresNodeStoreIT {
    private static final Patience PATIENCE = new Patience(Duration.ofSeconds(10), Duration.ofSeconds(15));
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
                List.of(),
                Duration.ofSeconds(5),
                LEASE,
                "test");
    }

    private UUID join(String id) {
        UUID incarnation = UUID.randomUUID();
        assertThat(nodes.join(registration(id, incarnation), NodeStatus.ACTIVE, null))
                .isPresent();
        return incarnation;
    }

    private Pulse beat(String id, UUID incarnation, Duration interval) {
        return nodes.heartbeat(id, incarnation, LOAD, interval);
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

    private Judgement judge(String judge) {
        return store.leaders().unfenced(tx -> nodes.judge(tx, judge, PATIENCE));
    }

    private NodeStatus status(String id) {
        return NodeStatus.parse(database.column("SELECT status FROM muster_nodes WHERE id = '" + id + "'")
                .get(0));
    }

    private ClaimedJob claim(String node, JobDraft draft) {
        jobs.enqueue(List.of(draft.job()));
        ClaimScope scope = new ClaimScope(node, null, Set.of(), Set.of("a"), LEASE);
        return jobs.openClaims(scope).exchange(List.of(), 1, true).claimed().get(0);
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

        Pulse pulse = beat("a", a, Duration.ofSeconds(20));

        assertThat(pulse.standing()).isEqualTo(Standing.OWN);
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

    @Test
    void anOlderIncarnationIsToldThatItsRowIsTaken() {
        UUID older = join("a");
        UUID newer = join("a");

        assertThat(beat("a", older, Duration.ofSeconds(5)).standing()).isEqualTo(Standing.TAKEN);
        assertThat(beat("a", newer, Duration.ofSeconds(5)).standing()).isEqualTo(Standing.OWN);
        nodes.leave("a", older);
        assertThat(nodes.move("a", older, Set.of(NodeStatus.ACTIVE), NodeStatus.DRAINING))
                .isFalse();
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);
        assertThat(nodes.join(registration("a", UUID.randomUUID()), NodeStatus.ACTIVE, older))
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
        assertThat(judge("judge").marked()).extracting(Marked::id).containsExactly("quick");
        assertThat(status("quick")).isEqualTo(NodeStatus.STALE);
        assertThat(status("slow")).isEqualTo(NodeStatus.ACTIVE);

        silence("slow", 121);
        silence("quick", 16);
        judge("judge");
        assertThat(status("slow")).isEqualTo(NodeStatus.STALE);
        assertThat(status("quick")).isEqualTo(NodeStatus.DEAD);

        assertThat(beat("slow", slow, Duration.ofSeconds(5)).status()).isEqualTo(NodeStatus.ACTIVE);
        assertThat(judge("judge").marked()).isEmpty();
    }

    @Test
    void whoDrainsStaysSoUntilItIsDead() {
        UUID a = join("a");
        assertThat(nodes.drain("a")).isTrue();
        silence("a", 12);
        assertThat(judge("judge").marked()).isEmpty();
        assertThat(beat("a", a, Duration.ofSeconds(5)).status()).isEqualTo(NodeStatus.DRAINING);
        silence("a", 16);
        judge("judge");
        assertThat(status("a")).isEqualTo(NodeStatus.DEAD);
        assertThat(nodes.drain("a")).isFalse();
        assertThat(nodes.drain("nobody")).isFalse();
    }

    @Test
    void nobodyJudgesItself() {
        join("a");
        silence("a", 3_600);

        assertThat(nodes.agenda("a", PATIENCE, false).nodes()).isFalse();
        assertThat(judge("a").marked()).isEmpty();
        assertThat(nodes.agenda("b", PATIENCE, false).nodes()).isTrue();
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
            Judgement judgement = nodes.judge(tx, "b", PATIENCE);
            assertThat(judgement.released())
                    .extracting(Recovered::id)
                    .containsExactlyInAnyOrder(buffered.id(), running.id(), once.id());
            assertThat(judgement.released()).extracting(Recovered::node).containsOnly("a");
            tx.rollback();
        }
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);
        assertThat(job(running).status()).isEqualTo(JobStatus.RUNNING);

        judge("b");

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
        assertThat(beat("a", a, Duration.ofSeconds(5)).standing()).isEqualTo(Standing.DEAD);
        assertThat(judge("b").marked()).isEmpty();
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
            assertThat(judge("b").marked()).isEmpty();
            heartbeat.commit();
        }
        assertThat(judge("b").marked()).isEmpty();
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);
    }

    @Test
    void aClaimIsAsGoodAsAHeartbeat() {
        join("a");
        silence("a", 16);
        ClaimedJob job = claim("a", JobDraft.named("a"));

        assertThat(nodes.agenda("b", PATIENCE, false).nodes()).isFalse();
        assertThat(judge("b").marked()).isEmpty();
        assertThat(status("a")).isEqualTo(NodeStatus.ACTIVE);

        silence("a", 16);
        assertThat(judge("b").released()).extracting(Recovered::id).containsExactly(job.id());
    }

    @Test
    void aProcessUnderTheSameIdTakesOverWhatTheOldOneHeld() {
        join("a");
        ClaimedJob buffered = claim("a", JobDraft.named("a"));
        ClaimedJob running = running("a", 3, 5);

        Joined joined = nodes.join(registration("a", UUID.randomUUID()), NodeStatus.JOINING, null)
                .orElseThrow();

        assertThat(joined.predecessor()).isNotNull();
        assertThat(joined.released()).hasSize(2);
        assertThat(job(buffered).crashes()).isZero();
        assertThat(job(running).crashes()).isEqualTo(1);
        assertThat(job(running).status()).isEqualTo(JobStatus.PENDING);
        assertThat(nodes.join(registration("new", UUID.randomUUID()), NodeStatus.JOINING, null))
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

        assertThat(nodes.join(registration("a", second), NodeStatus.ACTIVE, first)
                        .orElseThrow()
                        .released())
                .hasSize(3);
        assertThat(nodes.join(registration("a", second), NodeStatus.ACTIVE, first))
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
        judge("b");
        silence("a", 3_500);
        assertThat(nodes.agenda("b", PATIENCE, false).nodes()).isFalse();
        silence("a", 3_700);
        assertThat(nodes.agenda("b", PATIENCE, false).nodes()).isTrue();
        assertThat(judge("b").removed()).containsExactly("a");
        assertThat(nodes.list()).isEmpty();
    }

    @Test
    void theAgendaSaysWhatThereIsToDoAndWhenToLookAgain() {
        assertThat(nodes.agenda("b", PATIENCE, false))
                .isEqualTo(new Agenda(false, Optional.empty(), false, false, false));
        join("a");
        silence("a", 4);
        Agenda agenda = nodes.agenda("b", PATIENCE, false);
        assertThat(agenda.nodes()).isFalse();
        assertThat(agenda.nextOverdue().orElseThrow()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(6));

        claim("a", JobDraft.named("a"));
        lease("clock_timestamp() - interval '1 second'");
        assertThat(nodes.agenda("b", PATIENCE, false).leases()).isTrue();
        lease("clock_timestamp() - interval '1 day'");
        assertThat(nodes.agenda("b", PATIENCE, false).leases()).isFalse();
        assertThat(nodes.agenda("b", PATIENCE, true).leases()).isTrue();

        jobs.enqueue(List.of(JobDraft.named("late").job()));
        database.execute("UPDATE muster_jobs SET expires_at = clock_timestamp() WHERE name = 'late'");
        assertThat(nodes.agenda("b", PATIENCE, false).expired()).isTrue();
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
