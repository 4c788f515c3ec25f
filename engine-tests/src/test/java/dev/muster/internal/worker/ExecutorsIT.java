package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.engine.ClusterIT;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.Node;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Nodes with several executors: each job runs on the one that rules name, and the others do not notice. */
class ExecutorsIT extends ClusterIT {
    private final CountDownLatch release = new CountDownLatch(1);
    private final Handlers handlers = new Handlers();

    final class Handlers {
        final AtomicInteger slowNow = new AtomicInteger();
        final AtomicInteger mostSlow = new AtomicInteger();
        final Set<String> threads = ConcurrentHashMap.newKeySet();

        @Job("ml::train")
        String train(JobContext ctx) throws InterruptedException {
            threads.add(Thread.currentThread().getName());
            mostSlow.accumulateAndGet(slowNow.incrementAndGet(), Math::max);
            try {
                release.await();
            } finally {
                slowNow.decrementAndGet();
            }
            return ctx.nodeId();
        }

        @Job("ml::predict")
        String predict(JobContext ctx) {
            return ctx.nodeId();
        }

        @Job("etl::extract")
        String extract(JobContext ctx) {
            return ctx.nodeId();
        }

        @Job("mail")
        String mail(JobContext ctx) {
            return ctx.nodeId() + " " + Thread.currentThread().getName();
        }
    }

    @AfterEach
    void releaseHandlers() {
        release.countDown();
    }

    private Node node(String... settings) {
        Map<String, String> own = new HashMap<>();
        for (int i = 0; i < settings.length; i += 2) {
            own.put(settings[i], settings[i + 1]);
        }
        return cluster.node(own, handlers);
    }

    private List<JobId> enqueue(String name, int count) {
        return cluster.jobs()
                .enqueueAll(IntStream.range(0, count)
                        .mapToObj(i -> JobRequest.of(name))
                        .toList());
    }

    private List<JobInfo> ended(List<JobId> ids) {
        return ids.stream().map(id -> cluster.awaitEnded(id, PATIENCE)).toList();
    }

    private String why(JobId id) {
        return cluster.jobs().find(id).orElseThrow().waitingReason().orElse("");
    }

    @Test
    void slowJobsTakeOnlyTheSlotsOfTheirExecutor() {
        node("executors.gpu.size", "2", "routing.rules", "ml::*=gpu");
        List<JobId> slow = enqueue("ml::train", 20);
        await().untilAsserted(() -> assertThat(handlers.slowNow).hasValue(2));

        assertThat(ended(enqueue("mail", 100))).extracting(JobInfo::status).containsOnly(JobStatus.COMPLETED);

        assertThat(handlers.mostSlow).hasValue(2);
        release.countDown();
        assertThat(ended(slow)).extracting(JobInfo::status).containsOnly(JobStatus.COMPLETED);
        assertThat(handlers.threads).allMatch(name -> name.startsWith("muster-job-gpu-"));
    }

    /** What the executor has claimed ahead goes back, and its slots are all that it holds. */
    @Test
    void slowJobsDoNotWaitInTheBufferOfAFullExecutorWhileAnotherNodeIsIdle() {
        node("executors.gpu.size", "2", "routing.rules", "ml::*=gpu", "node.id", "full");
        // They are so short that the executor claims many ahead.
        ended(enqueue("ml::predict", 100));
        List<JobId> slow = enqueue("ml::train", 6);
        await().untilAsserted(() -> assertThat(handlers.slowNow).hasValue(2));

        node("executors.gpu.size", "4", "routing.rules", "ml::*=gpu", "node.id", "idle");

        await().untilAsserted(() -> assertThat(handlers.slowNow).hasValue(6));
        release.countDown();
        ended(slow);
    }

    @Test
    void threeNodesWithDifferentRulesShareOneBacklog() {
        node("node.id", "a", "executors.gpu.size", "1", "routing.rules", "ml::*=gpu", "routing.default", "none");
        node("node.id", "b", "routing.rules", "etl::*=default", "routing.default", "none");
        node("node.id", "c", "routing.rules", "mail=default,etl::*=default", "routing.default", "none");
        release.countDown();
        List<JobId> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            for (String name : List.of("ml::predict", "etl::extract", "mail", "ml::train")) {
                all.addAll(enqueue(name, 5));
            }
        }

        List<JobInfo> jobs = ended(all);

        assertThat(jobs).extracting(JobInfo::status).containsOnly(JobStatus.COMPLETED);
        assertThat(jobs).extracting(JobInfo::attempt).containsOnly(1);
        Map<String, Set<String>> namesOf = jobs.stream()
                .collect(Collectors.groupingBy(
                        job -> job.node().orElseThrow(), Collectors.mapping(JobInfo::name, Collectors.toSet())));
        assertThat(namesOf.get("a")).containsExactlyInAnyOrder("ml::predict", "ml::train");
        assertThat(namesOf.getOrDefault("b", Set.of("etl::extract"))).containsExactly("etl::extract");
        assertThat(namesOf.get("c")).contains("mail").doesNotContain("ml::predict", "ml::train");
    }

    @Test
    void jobsThatNoRuleSendsAnywhereAreNeitherPublishedNorClaimedAndSayWhy() {
        node("node.id", "picky", "routing.rules", "ml::*=default", "routing.default", "none");
        JobId mail = enqueue("mail", 1).get(0);
        assertThat(ended(enqueue("ml::predict", 1))).extracting(JobInfo::status).containsOnly(JobStatus.COMPLETED);

        assertThat(why(mail)).isEqualTo("no live node routes 'mail' to an executor; 1 live node has a handler for it");
        NodeInfo info = cluster.client().nodes().get(0);
        assertThat(info.handlers()).containsExactly("ml::predict", "ml::train");
        assertThat(info.unrouted()).containsExactly("etl::extract", "mail");

        node("node.id", "open");
        assertThat(cluster.awaitEnded(mail, PATIENCE).node()).contains("open");
    }

    @Test
    void aJobThatWaitsForASlotSaysSo() {
        node("executors.gpu.size", "2", "routing.rules", "ml::*=gpu", "node.id", "a");
        node("executors.gpu.size", "1", "routing.rules", "ml::*=gpu", "node.id", "b");
        enqueue("ml::train", 3);
        await().untilAsserted(() -> assertThat(handlers.slowNow).hasValue(3));
        JobId last = enqueue("ml::train", 1).get(0);

        await().untilAsserted(
                        () -> assertThat(why(last)).isEqualTo("all 3 slots of executor gpu on 2 nodes are taken"));
    }

    @Test
    void theNodesRowShowsItsExecutorsAndWhatRunsOnThem() {
        node("executors.gpu.size", "2", "executors.unused.size", "7", "routing.rules", "ml::*=gpu");
        enqueue("ml::train", 1);

        await().untilAsserted(() -> assertThat(cluster.client().nodes().get(0).executors())
                .containsExactly(
                        new ExecutorInfo("default", "threads", 4, 0, 0), new ExecutorInfo("gpu", "threads", 2, 1, 0)));
    }

    @Test
    void anExecutorOfTheApplicationRunsJobsOnItsOwnThreads() {
        PoolExecutor pool = new PoolExecutor(3);
        cluster.executor("own", pool);
        Node node = node("routing.rules", "ml::*=own,mail=own");
        List<JobId> slow = enqueue("ml::train", 10);
        await().untilAsserted(() -> assertThat(handlers.slowNow).hasValue(3));
        assertThat(handlers.mostSlow).hasValue(3);
        release.countDown();
        ended(slow);
        JobInfo mail = cluster.awaitEnded(enqueue("mail", 1).get(0), PATIENCE);
        assertThat(mail.result().orElseThrow().toString()).contains("own-pool");

        pool.refuse(1);
        JobId refused = enqueue("mail", 1).get(0);
        await().untilAsserted(() -> assertThat(
                        cluster.jobs().find(refused).orElseThrow().error().orElse(""))
                .contains("executor own refused it")
                .contains("not today"));
        assertThat(cluster.jobs().find(refused).orElseThrow().attempt()).isZero();

        node.close();
        assertThat(pool.isClosed()).isTrue();
    }

    @Test
    void anApplicationsExecutorCanGiveAJobBack() {
        PoolExecutor pool = new PoolExecutor(1);
        cluster.executor("own", pool);
        node("routing.rules", "ml::*=own", "node.id", "first");
        JobId job = enqueue("ml::train", 1).get(0);
        await().untilAsserted(() -> assertThat(handlers.slowNow).hasValue(1));

        pool.tasks.get(0).interrupt();

        await().untilAsserted(() ->
                assertThat(pool.tasks).as("it was handed over again").hasSize(2));
        release.countDown();
        JobInfo ended = cluster.awaitEnded(job, PATIENCE);
        assertThat(ended.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(ended.attempt()).as("the first attempt does not count").isEqualTo(1);
    }

    @Test
    void aJobThatAnExecutorGivesBackUnrunWaitsForAWhile() {
        PoolExecutor pool = new PoolExecutor(1);
        pool.giveBack();
        cluster.executor("own", pool);
        node("routing.rules", "mail=own");
        JobId job = enqueue("mail", 1).get(0);

        await().untilAsserted(() -> assertThat(why(job)).contains("executor own gave it back before it ran"));
        JobInfo waiting = cluster.jobs().find(job).orElseThrow();
        assertThat(waiting.runAt()).as("when it is handed over again").isAfter(waiting.createdAt());
        assertThat(waiting.attempt()).isZero();
    }

    @Test
    void anExecutorThatNoRuleUsesIsClosedWithItsNode() {
        PoolExecutor pool = new PoolExecutor(1);
        cluster.executor("own", pool);
        Node node = node();
        assertThat(pool.isClosed()).isFalse();

        node.close();

        assertThat(pool.isClosed()).isTrue();
    }

    @Test
    void anExecutorOfKindCustomThatNobodyBringsIsRefused() {
        assertThatThrownBy(() -> node("executors.own.kind", "custom", "routing.default", "own"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("'own' is of kind custom")
                .hasMessageContaining("executor(\"own\"");
    }

    @Test
    void commandsRunTheJobsThatTheirExecutorLists() {
        node(
                "executors.shout.kind",
                "process",
                "executors.shout.command",
                "/usr/bin/tr a-z A-Z",
                "executors.shout.jobs",
                "shout,shout::twice");
        JobId job = cluster.jobs().enqueue(JobRequest.of("shout", List.of("hello")));

        JobInfo ended = cluster.awaitEnded(job, PATIENCE);

        assertThat(ended.status()).as(ended.error().orElse("")).isEqualTo(JobStatus.COMPLETED);
        assertThat(ended.result().orElseThrow().toString()).contains("HELLO");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void aThousandJobsThatWaitRunAtOnceOnVirtualThreads() {
        node("executors.light.kind", "virtual", "executors.light.size", "1000", "routing.rules", "ml::*=light");
        List<JobId> jobs = enqueue("ml::train", 1000);
        await().untilAsserted(() -> assertThat(handlers.slowNow).hasValue(1000));
        release.countDown();
        assertThat(ended(jobs)).extracting(JobInfo::status).containsOnly(JobStatus.COMPLETED);
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void virtualThreadsAreRefusedByAnOlderJava() {
        assertThatThrownBy(() -> node("executors.light.kind", "virtual", "routing.rules", "ml::*=light"))
                .hasMessageContaining("needs Java 21");
    }
}
