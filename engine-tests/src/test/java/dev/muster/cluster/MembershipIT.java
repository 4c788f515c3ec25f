package dev.muster.cluster;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Admin.Migration;
import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.Graphs;
import dev.muster.graph.TaskRequest;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import dev.muster.leader.LeaderRole;
import dev.muster.ratelimit.RateKey;
import dev.muster.ratelimit.RateLimit;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.Workflows.RunQuery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A node's life in its row: heartbeats that adapt, orders from operators, other processes with its id, its roles. */
class MembershipIT extends EngineIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Map<String, String> LIVELY = Map.of(
            "cluster.heartbeat_interval", "200ms",
            "cluster.max_heartbeat_interval", "1600ms");

    /** A job that runs until it is let go. */
    static final class Gated {
        final Semaphore entered = new Semaphore(0);
        final CountDownLatch mayLeave = new CountDownLatch(1);
        final AtomicInteger interrupted = new AtomicInteger();

        @Job("gated")
        public void gated(JobContext context) throws InterruptedException {
            entered.release();
            try {
                mayLeave.await();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
        }

        @Job("quick")
        public void quick() {}
    }

    private Muster lively(String id, Object... handlers) {
        Map<String, String> settings = new HashMap<>(LIVELY);
        settings.put("node.id", id);
        return node(settings, handlers);
    }

    /** One that never leads, and so may be quiet. */
    private Muster livelyWorker(String id, Object... handlers) {
        Map<String, String> settings = new HashMap<>(LIVELY);
        settings.put("node.id", id);
        settings.put("node.mode", "worker");
        return node(settings, handlers);
    }

    private NodeInfo row(Muster asked, String id) {
        return find(asked, id).orElseThrow();
    }

    private Optional<NodeInfo> find(Muster asked, String id) {
        return asked.nodes().stream().filter(node -> node.id().equals(id)).findFirst();
    }

    private void awaitInterval(Muster node, long millis) {
        await("interval of " + millis + " ms")
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> row(node, node.nodeId()).heartbeatInterval().toMillis() == millis);
    }

    @Test
    void heartbeatsStretchWhileNothingHappensAndShrinkAtOnce() throws Exception {
        // An interval that grows again is there for a moment: whoever looks now and then may not see it.
        database.execute("CREATE TABLE intervals (node text, millis int)");
        database.execute(
                "CREATE FUNCTION note_interval() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO intervals"
                        + " VALUES (NEW.id, extract(epoch FROM NEW.heartbeat_interval) * 1000); RETURN NULL; END $$");
        database.execute(
                "CREATE TRIGGER note_interval AFTER UPDATE ON muster_nodes FOR EACH ROW"
                        + " WHEN (OLD.heartbeat_interval IS DISTINCT FROM NEW.heartbeat_interval) EXECUTE FUNCTION note_interval()");
        Gated gated = new Gated();
        Muster node = livelyWorker("a", gated);
        assertThat(row(node, "a").status()).isEqualTo(NodeStatus.ACTIVE);
        awaitInterval(node, 1_600);

        JobId id = node.jobs().enqueue("gated", null);
        gated.entered.acquire();
        awaitInterval(node, 200);
        nothingHappensFor(
                Duration.ofSeconds(1),
                () -> assertThat(row(node, "a").heartbeatInterval().toMillis()).isEqualTo(200));

        gated.mayLeave.countDown();
        ended(node, id);
        awaitInterval(node, 1_600);

        String shortened = "SELECT count(*) FROM intervals WHERE node = 'a' AND millis = 200";
        long before = database.number(shortened);
        livelyWorker("b");
        await("a shorter interval because another node has joined").until(() -> database.number(shortened) > before);
        awaitInterval(node, 1_600);
    }

    @Test
    void aLeaderDoesNotStretchItsHeartbeats() {
        Muster leader = lively("a");
        Muster worker = livelyWorker("b");
        await().atMost(SOON).until(() -> leader.leadership(LeaderRole.SCHEDULER).isLeader());
        awaitInterval(worker, 1_600);

        assertThat(row(worker, "a").heartbeatInterval().toMillis()).isEqualTo(200);
    }

    @Test
    void anUpdateDrainsANode() throws Exception {
        Gated gated = new Gated();
        Muster node = livelyWorker("a", gated);
        awaitInterval(node, 1_600);
        JobId running = node.jobs().enqueue("gated", null);
        gated.entered.acquire();

        database.execute("UPDATE muster_nodes SET status = 'draining' WHERE id = 'a'");
        // On a slow machine it may be before the node has noticed.
        await("it claims no more").atMost(SOON).until(() -> {
            JobId id = node.jobs().enqueue("quick", null);
            return !node.jobs().await(id, Duration.ofMillis(300)).status().isTerminal();
        });
        assertThat(row(node, "a").status()).isEqualTo(NodeStatus.DRAINING);
        gated.mayLeave.countDown();
        node.awaitDrained();

        assertThat(find(node, "a")).isEmpty();
        JobInfo job = ended(node, running);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(node.health().ok()).isFalse();
        assertThat(node.health().detail()).contains("drained");
        JobId left = node.jobs().enqueue("quick", null);
        nothingHappensFor(
                Duration.ofMillis(300),
                () -> assertThat(node.jobs().find(left).orElseThrow().status()).isEqualTo(JobStatus.PENDING));
    }

    /**
     * Claimed by a process that did not know yet that it was replaced: the claim is good, but another entry would be one too
     * many.
     */
    @Test
    void whatMayRunOnlyOnceAndWasEnteredDoesNotGoBackWhenItsNodeIsReplaced() throws Exception {
        class Once {
            final CountDownLatch entered = new CountDownLatch(1);
            final CountDownLatch never = new CountDownLatch(1);
            final AtomicInteger entries = new AtomicInteger();

            @Job(value = "once", maxAttempts = 1)
            public void once() throws InterruptedException {
                entries.incrementAndGet();
                entered.countDown();
                never.await();
            }
        }
        Once first = new Once();
        Muster replaced = livelyWorker("a", first);
        JobId id = replaced.jobs().enqueue("once", null);
        assertThat(first.entered.await(90, TimeUnit.SECONDS)).isTrue();
        Once second = new Once();
        Muster other = livelyWorker("b", second);

        database.execute("UPDATE muster_nodes SET incarnation = gen_random_uuid() WHERE id = 'a'");

        JobInfo job = ended(other, id);
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        assertThat(job.error()).hasValueSatisfying(error -> assertThat(error).contains("may run only once"));
        assertThat(first.entries.get() + second.entries.get()).isEqualTo(1);
    }

    @Test
    void theNewestProcessWithAnIdWinsAndTheOldOneStops() throws Exception {
        Gated held = new Gated();
        Muster older = lively("a", held);
        JobId id = older.jobs().enqueue("gated", null);
        held.entered.acquire();
        await().atMost(SOON).until(() -> older.jobs().find(id).orElseThrow().status() == JobStatus.RUNNING);

        Gated taken = new Gated();
        taken.mayLeave.countDown();
        Muster newer = lively("a", taken);

        JobInfo job = ended(newer, id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        // Its start was on record. But if the older one renews its claim at that moment, it keeps it, and gives the job
        // back itself.
        assertThat(job.crashes()).isLessThanOrEqualTo(1);
        await("the older one finds out")
                .atMost(SOON)
                .until(() -> !older.health().ok());
        assertThat(older.health().detail()).contains("another process runs as node a");
        // It may have claimed the job once more before it knew.
        await().atMost(SOON).until(() -> held.interrupted.get() == 1 + held.entered.availablePermits());
        int entered = held.entered.availablePermits();

        for (int i = 0; i < 20; i++) {
            assertThat(ended(older, older.jobs().enqueue("quick", null)).status())
                    .isEqualTo(JobStatus.COMPLETED);
        }
        assertThat(newer.health().ok()).isTrue();
        assertThat(held.entered.availablePermits()).isEqualTo(entered);
        older.close();
        assertThat(row(newer, "a").status())
                .as("the older one does not take the row along")
                .isEqualTo(NodeStatus.ACTIVE);
    }

    /** Declared dead although it was only slow: others have its claims. */
    @Test
    void aNodeDeclaredDeadStopsItsHandlersAndJoinsAgain() throws Exception {
        Gated gated = new Gated();
        Muster node = lively("a", gated);
        JobId id = node.jobs().enqueue("gated", null);
        gated.entered.acquire();
        NodeInfo before = row(node, "a");

        database.execute("UPDATE muster_nodes SET status = 'dead' WHERE id = 'a'");

        await().atMost(SOON).until(() -> gated.interrupted.get() == 1);
        await().atMost(SOON).until(() -> row(node, "a").status() == NodeStatus.ACTIVE);
        assertThat(row(node, "a").incarnation()).isNotEqualTo(before.incarnation());
        gated.mayLeave.countDown();
        JobInfo job = ended(node, id);
        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.attempt()).as("attempt").isEqualTo(1);
        assertThat(job.crashes()).as("crashes").isZero();
        assertThat(node.health().ok()).isTrue();
    }

    @Test
    void aRowThatIsGoneIsWrittenAgain() {
        Muster node = lively("a", new Gated());

        database.execute("DELETE FROM muster_nodes");

        await().atMost(SOON).until(() -> find(node, "a").isPresent());
        await().atMost(SOON).until(() -> node.health().ok());
    }

    @Test
    void aFreshNodeKillsNoPeerOnALongInterval() {
        Map<String, String> own = Map.of(
                "cluster.heartbeat_interval",
                "100ms",
                "cluster.stale_threshold",
                "200ms",
                "cluster.dead_threshold",
                "300ms");
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at) VALUES ('stable', gen_random_uuid(), 'active', clock_timestamp() - interval '5 min',"
                + " interval '5 min', clock_timestamp())");
        Muster fresh = node(own, new Gated());

        // Longer than the silence by which it judges others.
        nothingHappensFor(
                Duration.ofSeconds(1),
                () -> assertThat(row(fresh, "stable").status()).isEqualTo(NodeStatus.ACTIVE));
        database.execute(
                "UPDATE muster_nodes SET last_heartbeat = last_heartbeat - interval '11 min' WHERE id = 'stable'");
        database.execute("UPDATE muster_nodes SET in_touch_since = in_touch_since - interval '1 hour'");
        await().atMost(SOON).until(() -> row(fresh, "stable").status() == NodeStatus.DEAD);
    }

    /** Nobody knows for how long the database has been there: those who were cut off from it must be able to come back. */
    @Test
    void aNodeThatStartsAloneJudgesNobodyBeforeTheDeadThreshold() {
        database.execute("INSERT INTO muster_nodes (id, incarnation, status, last_heartbeat, heartbeat_interval,"
                + " started_at) VALUES ('silent', gen_random_uuid(), 'active', clock_timestamp() - interval '60 s',"
                + " interval '1 s', clock_timestamp())");
        long start = System.nanoTime();
        Muster node = node(
                Map.of(
                        "cluster.heartbeat_interval", "200ms",
                        "cluster.stale_threshold", "1s",
                        "cluster.dead_threshold", "2s"),
                new Gated());

        await().atMost(SOON).until(() -> row(node, "silent").status() == NodeStatus.DEAD);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(2));
    }

    @Test
    void anObserverSeesEverythingAndWritesNothing() {
        Muster observer = node(Map.of("node.mode", "observer", "leader.check_interval", "100ms"), new Gated());
        nothingHappensFor(
                Duration.ofMillis(500),
                () -> assertThat(observer.leadership(LeaderRole.SCHEDULER).isLeader())
                        .isFalse());
        Muster worker = node(new Gated());
        JobId id = worker.jobs().enqueue("quick", null);

        assertThat(observer.jobs().find(id)).isPresent();
        assertThat(observer.nodes()).hasSize(2);
        assertThat(observer.queues().list()).isNotNull();
        assertThat(observer.jobs().attempts(id)).isNotNull();
        assertThat(observer.admin().handlers()).containsKey("quick");
        assertThat(observer.admin().migrations()).allMatch(Migration::applied);
        assertThatThrownBy(() -> observer.admin().migrateUp()).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().enqueue("quick", null)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().cancel(id)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().retry(id)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().retryWithDependents(id)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().reschedule(id, Duration.ZERO)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().reprioritise(id, Priority.LOW)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().submit(JobRequest.of("quick"))).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().cancelAll(JobQuery.all())).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.jobs().retryAll(JobQuery.all())).hasMessageContaining("observer");
        GraphId graph = GraphId.next();
        assertThat(observer.graphs().find(graph)).isEmpty();
        assertThat(observer.graphs().tree(graph)).isEmpty();
        assertThat(observer.graphs().list(Graphs.GraphQuery.all())).isEmpty();
        assertThatThrownBy(() -> observer.graphs().submit(GraphRequest.of(TaskRequest.of("a", "quick"))))
                .hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.graphs().cancel(graph, "why")).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.graphs().cancel(graph, "a", "why")).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.graphs().retry(graph)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.graphs().retry(graph, "a")).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.queues().pause("default"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.queues().resume("default")).hasMessageContaining("observer");
        assertThat(observer.workflows().list(RunQuery.all())).isEmpty();
        assertThatThrownBy(() -> observer.workflows().start("checkout", null)).hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.workflows().retire("checkout", "v1", "gone"))
                .hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.rateLimits().tryAcquire(RateKey.user("login", "ada"), RateLimit.perHour(1)))
                .hasMessageContaining("observer");
        assertThatThrownBy(() -> observer.drainNode(worker.nodeId())).hasMessageContaining("observer");
    }

    /** The one place where a node's wall clock shows is in ids; ten minutes off, each way, change nothing. */
    @Test
    void idsFromWrongClocksChangeNothing() throws Exception {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        Muster node = builder(Map.of("worker.concurrency", "1"), new Gated())
                .interceptor(new JobInterceptor() {
                    @Override
                    public @Nullable Object run(JobContext context, Run run) throws Exception {
                        order.add(context.metadata().get("order"));
                        return run.proceed();
                    }
                })
                .build();
        try (node) {
            node.migrate();
            JobId ahead = node.jobs().enqueue(quick("1").id(idAt(600)));
            JobId behind = node.jobs().enqueue(quick("2").id(idAt(-600)));
            JobId child = node.jobs().enqueue(quick("3").id(idAt(-601)).dependsOn(ahead, behind));
            JobId delayed = node.jobs().enqueue(quick("4").id(idAt(-602)).delay(Duration.ofHours(1)));
            node.start();

            for (JobId id : List.of(ahead, behind, child)) {
                assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
            }
            assertThat(node.jobs().find(delayed).orElseThrow().status()).isEqualTo(JobStatus.PENDING);
            timePasses(Duration.ofHours(1), node);
            assertThat(ended(node, delayed).status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(order).containsExactly("1", "2", "3", "4");
            JobInfo late = node.jobs().find(delayed).orElseThrow();
            assertThat(late.finishedAt().orElseThrow())
                    .isAfterOrEqualTo(late.createdAt().plus(Duration.ofHours(1)));
        }
    }

    private static JobRequest quick(String order) {
        return JobRequest.of("quick", null).metadata("order", order);
    }

    private JobId idAt(int secondsOff) {
        long millis = Long.parseLong(database.column("SELECT (extract(epoch FROM muster_clock()) * 1000)::bigint")
                        .get(0))
                + secondsOff * 1_000L;
        return new JobId(new UUID(millis << 16 | 0x7000L, UUID.randomUUID().getLeastSignificantBits()));
    }
}
