package dev.muster.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.config.MusterConfig;
import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.telemetry.Telemetry.Claim;
import dev.muster.telemetry.Telemetry.Leadership;
import dev.muster.telemetry.Telemetry.Outcome;
import dev.muster.telemetry.Telemetry.Peer;
import dev.muster.telemetry.Telemetry.Recovery;
import dev.muster.testing.Periods;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Nodes are killed, frozen and drained at random while they run many jobs. Afterwards the events of all nodes, taken together,
 * say exactly what the database says: who claimed what, how each claim was closed, and by whom.
 */
class EventsAgreeWithDatabaseIT {
    private static final Logger log = LoggerFactory.getLogger(EventsAgreeWithDatabaseIT.class);
    private static final int ROUNDS = Sizes.of(3, 10);
    private static final int JOBS_OF_A_ROUND = Sizes.of(120, 300);
    private static final int NODES = 4;
    private static final Set<Outcome.Kind> KINDS =
            Set.of(Outcome.Kind.COMPLETED, Outcome.Kind.RETRIED, Outcome.Kind.SNOOZED, Outcome.Kind.FAILED);
    private static final Duration LONG = Duration.ofMinutes(3);

    private static final MusterConfig CONFIG = MusterConfig.defaults()
            .with(Map.of(
                    "worker.concurrency", "8",
                    "worker.lease", "5s",
                    "worker.renew", "500ms",
                    "worker.sweep_interval", "200ms",
                    "worker.drain_timeout", "1s"))
            .with(Map.of(
                    "cluster.heartbeat_interval", "200ms",
                    "cluster.stale_threshold", "2s",
                    "cluster.dead_threshold", "6s",
                    "leader.lease", "5s",
                    "leader.renew", "500ms",
                    "leader.check_interval", "500ms"));

    private final Random random = new Random(Seeds.next(getClass()));
    private final List<TestNode> all = new ArrayList<>();
    private final List<TestNode> live = new ArrayList<>();
    private final Set<TestNode> killed = new HashSet<>();
    private TestDatabase database;
    private ClaimAudit audit;

    private static final class TestNode {
        final MortalConnections connections;
        final RecordedEvents events;
        final Muster muster;
        Thread end;

        TestNode(TestDatabase database, String id) {
            this.connections = new MortalConnections(database.url(), id);
            this.events = new RecordedEvents(id);
            this.muster = Muster.builder()
                    .config(CONFIG.with("node.id", id))
                    .dataSource(connections.dataSource())
                    .clock(connections.clock())
                    .telemetry(events)
                    .register(new Handlers(connections.dataSource()))
                    .build();
        }

        void endInBackground() {
            end = new Thread(muster::close, "end-" + events.node);
            end.start();
        }

        void awaitEnd() throws InterruptedException {
            if (end != null) {
                end.join();
            }
        }
    }

    @BeforeEach
    void open() {
        database = TestDatabase.fromEnv();
        audit = new ClaimAudit(database, CONFIG.database().schema());
    }

    @AfterEach
    void close() throws InterruptedException {
        for (TestNode node : all) {
            node.connections.thaw();
            node.muster.close();
            node.awaitEnd();
            node.connections.close();
        }
        database.close();
    }

    /** The kinds of jobs; each takes care that its outcome differs from run to run or from attempt to attempt. */
    static final class Handlers {
        private static final Set<JobId> SNOOZED = ConcurrentHashMap.newKeySet();
        private final DataSource connections;

        Handlers(DataSource connections) {
            this.connections = connections;
        }

        @Job("quick")
        void quick() {}

        @Job("slow")
        void slow(JobContext ctx, int millis) throws InterruptedException {
            pause(millis);
        }

        @Job(value = "fragile", maxAttempts = 3, backoff = @Backoff(delay = "50ms", cap = "100ms"))
        void fragile(JobContext ctx, int failures) {
            if (ctx.attempt() <= failures) {
                throw new IllegalStateException("attempt " + ctx.attempt());
            }
        }

        @Job("drowsy")
        void drowsy(JobContext ctx) {
            if (SNOOZED.add(ctx.id())) {
                throw ctx.snooze(Duration.ofMillis(100));
            }
        }

        @Job(value = "once", maxAttempts = 1)
        void once(JobContext ctx, int millis) throws InterruptedException {
            pause(millis);
        }

        @Job("own_transaction")
        void ownTransaction(JobContext ctx, boolean commits) throws Exception {
            try (Connection connection = connections.getConnection()) {
                connection.setAutoCommit(false);
                ctx.completeIn(connection);
                if (commits || ctx.attempt() > 1) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
            }
        }

        private static synchronized void awaitNothing(int millis) throws InterruptedException {
            Handlers.class.wait(millis);
        }

        private static void pause(int millis) throws InterruptedException {
            long end = System.nanoTime() + millis * 1_000_000L;
            while (System.nanoTime() - end < 0) {
                awaitNothing(Math.max(1, (int) ((end - System.nanoTime()) / 1_000_000)));
            }
        }
    }

    @Test
    void eventsAgreeWithTheDatabaseThroughKillsFreezesAndDrains() throws InterruptedException {
        for (int i = 0; i < NODES; i++) {
            startNode();
        }
        Muster client = Muster.builder()
                .config(CONFIG)
                .dataSource(database.dataSource())
                .register(new Handlers(database.dataSource()))
                .build();
        try (client) {
            List<JobId> jobs = new ArrayList<>();
            List<Disturbance> disturbances = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                if (disturbances.isEmpty()) {
                    disturbances.addAll(List.of(Disturbance.values()));
                    Collections.shuffle(disturbances, random);
                }
                enqueueSome(client, jobs);
                disturb(disturbances.remove(0));
                cancelSome(client, jobs);
                Periods.measureFor(Duration.ofMillis(random.nextInt(500)));
            }
            live.forEach(node -> node.connections.thaw());
            seeEveryKindOfEnd(client);
            String open = "SELECT count(*) FROM " + CONFIG.database().schema() + ".muster_jobs";
            await().atMost(LONG).until(() -> database.number(open) == 0);
            await().atMost(LONG).until(() -> killedNodesAreDead(client));
            for (TestNode node : List.copyOf(live)) {
                awaitFirstEvents(node);
                node.muster.close();
            }
            for (TestNode node : all) {
                node.awaitEnd();
            }
        }
        await().atMost(LONG).untilAsserted(() -> assertThat(all).allMatch(node -> node.events.running.isEmpty()));
        compare();
    }

    private TestNode startNode() {
        TestNode node = new TestNode(database, "n" + (all.size() + 1));
        all.add(node);
        node.muster.start();
        live.add(node);
        return node;
    }

    /** Each node has claimed or tried to, and has looked at the database, before it ends. */
    private static void awaitFirstEvents(TestNode node) {
        await().until(() -> !node.events.exchanges.isEmpty() && !node.events.probes.isEmpty());
    }

    private void enqueueSome(Muster client, List<JobId> jobs) {
        for (int i = 0; i < JOBS_OF_A_ROUND; i++) {
            jobs.add(client.jobs().enqueue(anyJob()));
        }
    }

    /** Whatever the others came to, these end in every way; a busy node may lose a claim, so they are repeated. */
    private void seeEveryKindOfEnd(Muster client) {
        await().atMost(LONG).pollInterval(Duration.ofMillis(500)).until(() -> {
            client.jobs().enqueue(JobRequest.of("fragile", 1));
            client.jobs().enqueue(JobRequest.of("fragile", 3));
            client.jobs().enqueue(JobRequest.of("drowsy"));
            client.jobs()
                    .enqueue(JobRequest.of("quick").delay(Duration.ofHours(1)).expiresIn(Duration.ofMillis(1)));
            return kindsOfEnds().containsAll(KINDS) && !events(e -> e.expired).isEmpty();
        });
    }

    private Set<Outcome.Kind> kindsOfEnds() {
        return events(e -> e.accepted).stream().map(Outcome::kind).collect(Collectors.toSet());
    }

    private JobRequest anyJob() {
        return switch (random.nextInt(12)) {
            case 0 -> JobRequest.of("slow", random.nextInt(1_500));
            case 1, 2 -> JobRequest.of("fragile", random.nextInt(4));
            case 3, 4 -> JobRequest.of("drowsy");
            case 5 -> JobRequest.of("once", random.nextInt(700));
            case 6 -> JobRequest.of("own_transaction", random.nextBoolean());
            case 7 -> JobRequest.of("quick").delay(Duration.ofSeconds(1)).expiresIn(Duration.ofMillis(500));
            default -> JobRequest.of("quick");
        };
    }

    /** What can happen to a node. */
    private enum Disturbance {
        KILL,
        FREEZE,
        DRAIN
    }

    private void disturb(Disturbance disturbance) {
        live.forEach(node -> node.connections.thaw());
        TestNode node = live.get(random.nextInt(live.size()));
        awaitFirstEvents(node);
        switch (disturbance) {
            case KILL -> {
                log.info("kills {}", node.events.node);
                node.connections.kill();
                node.endInBackground();
                killed.add(node);
                live.remove(node);
                startNode();
            }
            case FREEZE -> {
                log.info("freezes {}", node.events.node);
                node.connections.freeze();
                // Shorter than the lease, and longer.
                Periods.measureFor(Duration.ofMillis(3_000 + random.nextInt(5_000)));
                node.connections.thaw();
            }
            case DRAIN -> {
                log.info("drains {}", node.events.node);
                node.endInBackground();
                live.remove(node);
                startNode();
            }
        }
    }

    private void cancelSome(Muster client, List<JobId> jobs) {
        for (int i = 0; i < 10; i++) {
            client.jobs().cancel(jobs.get(jobs.size() - 1 - random.nextInt(JOBS_OF_A_ROUND)));
        }
    }

    private boolean killedNodesAreDead(Muster client) {
        Map<String, NodeStatus> status =
                client.nodes().stream().collect(Collectors.toMap(NodeInfo::id, NodeInfo::status));
        return killed.stream().allMatch(node -> status.get(node.events.node) == NodeStatus.DEAD);
    }

    private <T> List<T> events(Function<RecordedEvents, Collection<T>> which) {
        return all.stream().flatMap(node -> which.apply(node.events).stream()).toList();
    }

    private void compare() {
        compareClaims();
        compareClosings();
        compareLosses();
        compareRuns();
        compareExpired();
        compareNodes();
        compareLeaders();
        assertThat(all).allMatch(node -> !node.events.exchanges.isEmpty() && !node.events.probes.isEmpty());
    }

    private void compareClaims() {
        List<String> reported = all.stream()
                .flatMap(node -> node.events.claimed.stream().map(claim -> {
                    Claim it = claim.claim();
                    return it.token() + " " + it.id() + " " + it.attempt() + " " + node.events.node;
                }))
                .toList();
        assertThat(reported).doesNotHaveDuplicates();
        assertThat(reported).containsExactlyInAnyOrderElementsOf(audit.claimed());
        assertThat(events(e -> e.claimed)).allMatch(claim -> !claim.waited().isNegative());
    }

    /** Each claim was closed once: by an accepted outcome or by whoever took it back, and in the way that the event tells. */
    private void compareClosings() {
        Stream<String> accepted =
                events(e -> e.accepted).stream().map(event -> event.claim().token() + " " + closingOf(event));
        Stream<String> recovered =
                events(e -> e.recovered).stream().map(event -> event.claim().token() + " " + closingOf(event));
        List<String> reported = Stream.concat(accepted, recovered).toList();
        assertThat(reported).doesNotHaveDuplicates();
        assertThat(reported).containsExactlyInAnyOrderElementsOf(audit.closed());
        assertThat(audit.closed()).hasSameSizeAs(audit.claimed());
        assertThat(kindsOfEnds()).containsAll(KINDS);
    }

    private static String closingOf(Outcome event) {
        return switch (event.kind()) {
            case COMPLETED, FAILED, CANCELLED -> event.kind().name().toLowerCase(Locale.ROOT);
            case RETRIED -> "retried";
            case SNOOZED, RELEASED, OF_FEATURE -> "uncounted";
        };
    }

    private static String closingOf(Recovery event) {
        return event.status() != JobStatus.PENDING ? event.status().text() : event.crash() ? "crashed" : "uncounted";
    }

    /** A node that was not killed knows the fate of each of its claims: accepted, lost, or taken back by itself when it left. */
    private void compareLosses() {
        Set<Long> accepted = events(e -> e.accepted).stream()
                .map(event -> event.claim().token())
                .collect(Collectors.toSet());
        assertThat(events(RecordedEvents::lostTokens)).doesNotHaveDuplicates().doesNotContainAnyElementsOf(accepted);
        for (TestNode node : all) {
            Set<Long> known = new TreeSet<>(node.events.acceptedTokens());
            known.addAll(node.events.lostTokens());
            node.events.recovered.stream()
                    .filter(event -> event.node().equals(node.events.node))
                    .forEach(event -> known.add(event.claim().token()));
            Set<Long> claimed = node.events.claimed.stream()
                    .map(claim -> claim.claim().token())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(claimed).as("claims of %s", node.events.node).containsAll(known);
            if (!killed.contains(node)) {
                assertThat(known).as("fates on %s", node.events.node).containsAll(claimed);
            }
        }
    }

    private void compareRuns() {
        for (TestNode node : all) {
            assertThat(node.events.unpaired).isEmpty();
            Set<Long> claimed = node.events.claimed.stream()
                    .map(claim -> claim.claim().token())
                    .collect(Collectors.toSet());
            assertThat(node.events.started).allMatch(claim -> claimed.contains(claim.token()));
        }
        Set<Long> started = events(e -> e.started).stream().map(Claim::token).collect(Collectors.toSet());
        assertThat(events(e -> e.accepted))
                .allMatch(event ->
                        event.entered() == started.contains(event.claim().token()));
    }

    private void compareExpired() {
        assertThat(events(e -> e.expired).stream().map(job -> job.id().toString()))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(audit.endedUnclaimed("expired"));
    }

    private void compareNodes() {
        List<UUID> dead = events(e -> e.peers).stream()
                .filter(peer -> peer.state() == Peer.State.DEAD)
                .map(Peer::incarnation)
                .toList();
        assertThat(dead).doesNotHaveDuplicates();
        for (TestNode node : all) {
            List<UUID> incarnations = node.events.joined.stream()
                    .map(Telemetry.Membership::incarnation)
                    .toList();
            assertThat(incarnations).isNotEmpty().doesNotHaveDuplicates();
            UUID last = incarnations.get(incarnations.size() - 1);
            if (killed.contains(node)) {
                assertThat(node.events.left).isEmpty();
                assertThat(dead).contains(last);
            }
            // A node joins again because it was declared dead.
            assertThat(dead).containsAll(incarnations.subList(0, incarnations.size() - 1));
        }
    }

    private void compareLeaders() {
        Map<String, Set<String>> leadersOfTerm = new HashMap<>();
        for (TestNode node : all) {
            Map<String, Leadership> current = new HashMap<>();
            for (Leadership event : node.events.leading) {
                Leadership before = current.put(event.role(), event);
                assertThat(event.leads()).isNotEqualTo(before != null && before.leads());
                if (!event.leads()) {
                    assertThat(event.term()).isEqualTo(before.term());
                }
                leadersOfTerm
                        .computeIfAbsent(
                                event.role() + " " + event.timeline() + " " + event.term(), k -> new HashSet<>())
                        .add(node.events.node);
            }
            if (!killed.contains(node)) {
                assertThat(current.values()).noneMatch(Leadership::leads);
            }
        }
        assertThat(leadersOfTerm).isNotEmpty();
        assertThat(leadersOfTerm.values()).allMatch(nodes -> nodes.size() == 1);
    }
}
