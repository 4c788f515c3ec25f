package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What one tenant does does not reach another one: keys, groups, fairness, dependents. */
@MusterTest
class TenantWallsIT {
    private static final Map<String, String> UNFAIR = Map.of("tenants.fairness", "false");

    static final class Shop {
        final AtomicInteger mostAtOnce = new AtomicInteger();
        private final AtomicInteger running = new AtomicInteger();

        @Job(value = "greet", tenants = true)
        String greet(String name) {
            return "hello " + name;
        }

        @Job(value = "held", tenants = true, queue = "held")
        void held(String name) {}

        @Job(value = "fail", tenants = true)
        void fail() {
            throw new IllegalStateException("no");
        }

        @Job(value = "one_at_a_time", tenants = true, maxConcurrent = 1)
        void oneAtATime(String name) {
            mostAtOnce.accumulateAndGet(running.incrementAndGet(), Math::max);
            running.decrementAndGet();
        }

        @Job(value = "ordered", tenants = true, ordered = true, concurrencyKey = "order")
        void ordered(Map<String, String> args) {}
    }

    private static String tenant(GatewayNode gateway, String name) {
        return gateway.create(KeyRequest.of(name, Scope.WRITE).tenant(name)).key();
    }

    private static Response enqueue(GatewayNode gateway, String key, String job) {
        return gateway.send("POST", "/_api/jobs", key, job);
    }

    private static String created(GatewayNode gateway, String key, String job) {
        Response enqueued = enqueue(gateway, key, job);
        assertThat(enqueued.status()).as(enqueued.body()).isEqualTo(201);
        return enqueued.text("id");
    }

    private static List<String> groups(Cluster cluster) {
        return cluster.database()
                .column("SELECT concurrency_group FROM muster_jobs WHERE concurrency_group IS NOT NULL ORDER BY id");
    }

    @Test
    void aGroupThatOneTenantBlocksIsNoneOfAnothers(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, UNFAIR, new Shop());
        cluster.client().queues().pause("held");
        created(gateway, tenant(gateway, "b"), "{\"name\":\"held\",\"args\":\"x\",\"fifo\":\"f-17\"}");

        String own = created(gateway, tenant(gateway, "a"), "{\"name\":\"greet\",\"args\":\"x\",\"fifo\":\"f-17\"}");
        JobId nobodys =
                cluster.client().jobs().enqueue(JobRequest.of("greet", "x").fifo("f-17"));
        JobId sign = cluster.client().jobs().enqueue(JobRequest.of("greet", "x").fifo("@b/f-17"));

        for (JobId id : List.of(JobId.of(own), nobodys, sign)) {
            assertThat(cluster.awaitEnded(id, GatewayNode.PATIENCE).status()).isEqualTo(JobStatus.COMPLETED);
        }
        assertThat(groups(cluster)).containsExactly("fifo/@b/f-17");
    }

    @Test
    void theKeyInTheArgsIsTheTenantsOwn(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("default");
        created(gateway, tenant(gateway, "b"), "{\"name\":\"ordered\",\"args\":{\"order\":\"17\"}}");
        created(gateway, tenant(gateway, "b"), "{\"name\":\"ordered\",\"args\":{}}");
        created(gateway, tenant(gateway, "a"), "{\"name\":\"ordered\",\"args\":{\"order\":\"17\"}}");
        cluster.client().jobs().enqueue(JobRequest.of("ordered", Map.of("order", "17")));
        cluster.client().jobs().enqueue(JobRequest.of("ordered", Map.of()));

        assertThat(groups(cluster))
                .containsExactly(
                        "order/ordered/@b/17",
                        "order/ordered/@b/",
                        "order/ordered/@a/17",
                        "order/ordered/17",
                        "order/ordered");
    }

    @Test
    void aKeyDoesNotEvadeALimitThatHoldsForAllJobsOfAHandler(Cluster cluster) {
        Shop shop = new Shop();
        GatewayNode gateway = GatewayNode.start(
                cluster, Map.of("tenants.fairness", "false", "tenants.may_set", "concurrency_key"), shop);
        String tenant = tenant(gateway, "a");

        Response refused =
                enqueue(gateway, tenant, "{\"name\":\"one_at_a_time\",\"args\":\"x\",\"concurrency_key\":\"k-1\"}");
        assertThat(refused.status()).as(refused.body()).isEqualTo(400);
        assertThat(groups(cluster)).isEmpty();

        // What an enqueuer that does not know the limit has let pass is put into the group by the node that claims it.
        cluster.client().queues().pause("default");
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            ids.add(created(gateway, tenant, "{\"name\":\"one_at_a_time\",\"args\":\"x\"}"));
        }
        cluster.database()
                .execute(
                        "UPDATE muster_jobs SET concurrency_group = 'key/one_at_a_time/@a/' || id, group_position = NULL, status = 'pending',"
                                + " rank = priority, ready_at = muster_clock()");
        cluster.client().queues().resume("default");
        ids.forEach(id -> cluster.awaitEnded(JobId.of(id), GatewayNode.PATIENCE));

        assertThat(shop.mostAtOnce).hasValue(1);
        assertThat(cluster.database().column("SELECT DISTINCT concurrency_group FROM muster_job_history"))
                .containsExactly("name/one_at_a_time");
    }

    @Test
    void theJobsOfATenantTakeTurnsWithThoseOfOthersWhateverItAsksFor(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("held");
        String tenant = tenant(gateway, "a");
        String job = "{\"name\":\"held\",\"args\":\"x\"}";

        Response many = gateway.send(
                "POST",
                "/_api/jobs/many",
                tenant,
                "{\"jobs\":[" + String.join(",", Collections.nCopies(300, job)) + "]}");

        assertThat(many.status()).as(many.body()).isEqualTo(201);
        assertThat(cluster.database().column("SELECT DISTINCT concurrency_group FROM muster_jobs"))
                .containsExactly("fair/@a/");
        await().until(() ->
                cluster.database().number("SELECT count(*) FROM muster_jobs WHERE status = 'pending'") == 200);
        created(gateway, tenant(gateway, "b"), job);
        await().until(() -> cluster.database()
                        .number(
                                "SELECT count(*) FROM muster_jobs WHERE concurrency_group = 'fair/@b/' AND status = 'pending'")
                == 1);
        for (String key : List.of("fair_key", "fifo")) {
            Response refused = enqueue(gateway, tenant, job.replace("}", ",\"" + key + "\":\"new\"}"));
            assertThat(refused.status()).as(refused.body()).isEqualTo(400);
            assertThat(refused.text("error", "message")).contains("tenants.fairness");
        }
        cluster.client().jobs().enqueue(JobRequest.of("held", "x").tenant("a").fairKey("own"));
        assertThat(cluster.database().column("SELECT DISTINCT concurrency_group FROM muster_jobs ORDER BY 1"))
                .as("the application does as it likes")
                .containsExactly("fair/@a/", "fair/@a/own", "fair/@b/");
    }

    @Test
    void thePlacementsThatATenantAsksForAreItsOwn(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, Map.of("tenants.may_set", "placement"), new Shop());
        List<String> jobs = IntStream.range(0, 21)
                .mapToObj(i -> "{\"name\":\"held\",\"args\":\"x\",\"placement\":{\"require\":[\"rack=" + i + "\"]}}")
                .toList();

        Response tooMany = gateway.send(
                "POST", "/_api/jobs/many", tenant(gateway, "a"), "{\"jobs\":[" + String.join(",", jobs) + "]}");
        Response other = gateway.send(
                "POST",
                "/_api/jobs/many",
                tenant(gateway, "b"),
                "{\"jobs\":[" + String.join(",", jobs.subList(0, 20)) + "]}");

        assertThat(tooMany.status()).as(tooMany.body()).isEqualTo(400);
        assertThat(tooMany.text("error", "message"))
                .contains("jobs of the tenant a with 20 different placements, the most that a tenant may have");
        assertThat(other.status()).as(other.body()).isEqualTo(201);
        assertThat(cluster.database().column("SELECT DISTINCT tenant FROM muster_placements"))
                .containsExactly("b");
    }

    @Test
    void aTenantRetriesItsOwnDependentsAlone(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("default");
        String tenant = tenant(gateway, "a");
        String parent = created(gateway, tenant, "{\"name\":\"fail\",\"max_attempts\":1}");
        String own =
                created(gateway, tenant, "{\"name\":\"greet\",\"args\":\"x\",\"depends_on\":[\"" + parent + "\"]}");
        JobRequest after = JobRequest.of("greet", "x").dependsOn(JobId.of(parent));
        JobId others = cluster.client().jobs().enqueue(after.tenant("b"));
        JobId nobodys = cluster.client().jobs().enqueue(after);
        cluster.client().queues().resume("default");
        cluster.awaitEnded(others, GatewayNode.PATIENCE);
        cluster.awaitEnded(nobodys, GatewayNode.PATIENCE);
        cluster.awaitEnded(JobId.of(own), GatewayNode.PATIENCE);
        cluster.client().queues().pause("default");

        Response cancelled = gateway.send("GET", "/_api/jobs/" + own, tenant, null);
        Response retried = gateway.send("POST", "/_api/jobs/" + parent + "/retry?with_dependents=true", tenant, null);

        assertThat(cancelled.text("error")).isEqualTo("cancelled: it depends on a job, which is failed");
        assertThat(cancelled.text("dependencies", 0, "id")).isEqualTo(parent);
        assertThat(retried.text("retried")).as(retried.body()).isEqualTo("2");
        assertThat(cluster.client().jobs().find(others).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(cluster.client().jobs().find(nobodys).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(gateway.post("/_api/jobs/" + parent + "/retry?with_dependents=true", null)
                        .text("retried"))
                .as("who belongs to no tenant retries the others, too")
                .isEqualTo("2");
    }

    @Test
    void aTenantLearnsNothingOfTheJobsOfOthersThatItsJobsDependOn(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        JobId others = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("fail").tenant("b").maxAttempts(1));
        JobId own = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("greet", "x").tenant("a").dependsOn(others));
        cluster.awaitEnded(own, GatewayNode.PATIENCE);
        String tenant = tenant(gateway, "a");

        Response shown = gateway.send("GET", "/_api/jobs/" + own, tenant, null);
        Response retried = gateway.send("POST", "/_api/jobs/" + own + "/retry", tenant, null);

        assertThat(shown.status()).isEqualTo(200);
        assertThat((List<?>) shown.at("dependencies")).isEmpty();
        assertThat(retried.status()).as(retried.body()).isEqualTo(409);
        for (Response answer : List.of(shown, retried, gateway.send("GET", "/_api/jobs", tenant, null))) {
            assertThat(answer.body()).doesNotContain(others.toString());
        }
        assertThat(retried.body()).doesNotContain("fail'");
    }

    @Test
    void aTenantDependsOnItsOwnJobsAloneHoweverTheseEnd(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, new Shop());
        cluster.client().queues().pause("held");
        JobId others =
                cluster.client().jobs().enqueue(JobRequest.of("held", "x").tenant("b"));
        JobId nobodys = cluster.client().jobs().enqueue(JobRequest.of("held", "x"));
        String tenant = tenant(gateway, "a");

        for (JobId parent : List.of(others, nobodys)) {
            for (String member : List.of("depends_on", "depends_on_any_outcome")) {
                Response refused = enqueue(
                        gateway, tenant, "{\"name\":\"greet\",\"args\":\"x\",\"" + member + "\":[\"" + parent + "\"]}");
                assertThat(refused.status()).as(member + ": " + refused.body()).isEqualTo(404);
            }
        }
    }

    /** What an enqueuer that does not know the limit has let pass is put into the tenant's own group by the node that claims it. */
    @Test
    void theNodeThatClaimsAJobPutsItIntoAGroupOfItsTenant(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, UNFAIR, new Shop());
        cluster.client().queues().pause("default");
        String id = created(gateway, tenant(gateway, "a"), "{\"name\":\"ordered\",\"args\":{\"order\":\"17\"}}");
        cluster.database()
                .execute("UPDATE muster_jobs SET concurrency_group = NULL, group_position = NULL, status = 'pending',"
                        + " rank = priority, ready_at = muster_clock()");
        cluster.client().queues().resume("default");

        cluster.awaitEnded(JobId.of(id), GatewayNode.PATIENCE);

        assertThat(cluster.database().column("SELECT concurrency_group FROM muster_job_history"))
                .containsExactly("order/ordered/@a/17");
    }

    /** However many jobs of a request depend on others, whose these are is asked once. */
    @Test
    void theParentsOfManyJobsAreLookedUpTogether(Cluster cluster) {
        cluster.client().migrate();
        CountingDataSource source = new CountingDataSource(cluster.database().dataSource());
        try (Muster muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(source.dataSource())
                .set("gateway.port", "0")
                .register(new Shop())
                .build()) {
            muster.start();
            GatewayNode gateway = GatewayNode.of(cluster, muster.ports().get(0));
            String tenant = tenant(gateway, "a");
            List<String> parents = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                parents.add(created(gateway, tenant, "{\"name\":\"greet\",\"args\":\"x\",\"delay\":\"1d\"}"));
            }
            List<String> jobs = IntStream.range(0, 200)
                    .mapToObj(i -> "{\"name\":\"greet\",\"args\":\"x\",\"depends_on\":[\"" + parents.get(i % 3)
                            + "\"],\"depends_on_any_outcome\":[\"" + parents.get((i + 1) % 3) + "\"]}")
                    .toList();
            source.forget();

            Response many =
                    gateway.send("POST", "/_api/jobs/many", tenant, "{\"jobs\":[" + String.join(",", jobs) + "]}");

            assertThat(many.status()).as(many.body()).isEqualTo(201);
            assertThat(source.with("depends_on_any, batch_id, rank, trace"))
                    .as("jobs that were looked at one by one")
                    .isEmpty();
            assertThat(source.with("AND metadata ->> 'tenant' = ?")).hasSize(1);
            Response foreign =
                    gateway.send("POST", "/_api/jobs/many", tenant(gateway, "b"), "{\"jobs\":[" + jobs.get(0) + "]}");
            assertThat(foreign.status()).isEqualTo(404);
        }
    }
}
