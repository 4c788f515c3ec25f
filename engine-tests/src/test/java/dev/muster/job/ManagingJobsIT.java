package dev.muster.job;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.JobInfo.Progress;
import dev.muster.runtime.WaitInterrupted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What operators and handlers do with jobs that are on their way: pause, ask why, follow, cancel many. */
class ManagingJobsIT extends EngineIT {

    /** Handlers under test. */
    static final class Handlers {
        final AtomicInteger runs = new AtomicInteger();
        final CountDownLatch finish = new CountDownLatch(1);

        @Job(value = "mail", queue = "mail")
        void mail() {
            runs.incrementAndGet();
        }

        @Job("talkative")
        void talkative(JobContext ctx) throws InterruptedException {
            ctx.progress(40, "half way, nearly");
            ctx.log().info("hello");
            ctx.log().warn("careful\0");
            finish.await();
            for (int i = 0; i < 1_200; i++) {
                ctx.log().info("line " + i);
            }
        }

        @Job(value = "counts", maxAttempts = 1)
        void counts(JobContext ctx, Boolean fails) {
            for (int percent = 0; percent <= 100; percent += 10) {
                ctx.progress(percent, "row " + percent);
            }
            if (fails) {
                throw new IllegalStateException("at the end");
            }
        }

        @Job("snoozes")
        int snoozes(JobContext ctx) {
            if (runs.incrementAndGet() < 3) {
                throw ctx.snooze(Duration.ofMillis(50));
            }
            return ctx.attempt();
        }

        @Job("plain")
        void plain() {
            runs.incrementAndGet();
        }

        @Job(value = "fails", maxAttempts = 1)
        void fails() {
            throw new IllegalStateException("no");
        }
    }

    private final Handlers handlers = new Handlers();

    private String reason(Muster node, JobId id) {
        return node.jobs().find(id).orElseThrow().waitingReason().orElse("");
    }

    /** A node with these looks so rarely that only a wake-up can explain what it does. */
    private static final Map<String, String> ONLY_WHEN_WOKEN =
            Map.of("worker.poll_interval", "1h", "worker.max_poll_interval", "1h");

    @Test
    void aPausedQueueRunsNothingLosesNothingAndResumesAtOnce() throws Exception {
        Muster node = node(ONLY_WHEN_WOKEN, handlers);
        node.queues().pause("mail");
        List<JobId> ids = node.jobs()
                .enqueueAll(IntStream.range(0, 50)
                        .mapToObj(i -> JobRequest.of("mail"))
                        .toList());
        ended(node, node.jobs().enqueue("plain", null));
        ended(node, node.jobs().enqueue("plain", null));

        assertThat(handlers.runs).hasValue(2);
        assertThat(reason(node, ids.get(0))).startsWith("queue 'mail' has been paused since");
        QueueInfo mail = node.queues().list().stream()
                .filter(q -> q.name().equals("mail"))
                .findFirst()
                .orElseThrow();
        assertThat(mail.pending()).isEqualTo(50);
        assertThat(mail.pausedAt()).isPresent();

        node.queues().resume("mail");
        for (JobId id : ids) {
            assertThat(ended(node, id).attempt()).isEqualTo(1);
        }
        assertThat(handlers.runs).hasValue(52);
    }

    @Test
    void whatRunsAndWaitsIsCountedAndListed() {
        Muster node = node(Map.of("worker.claiming", "false"), handlers);
        JobId talks = node.jobs().enqueue("talkative", null);
        JobId child = node.jobs().enqueue(JobRequest.of("plain").dependsOn(talks));
        node.jobs().enqueue(JobRequest.of("plain").delay(Duration.ofHours(1)));

        await().until(() -> counted(node).running() == 1);
        assertThat(counted(node).waiting()).isEqualTo(1);
        assertThat(counted(node).pending()).isEqualTo(1);
        assertThat(counted(node).claimed()).isZero();
        assertThat(counted(node).oldestDue()).as("nothing is due").isEmpty();
        assertThat(counted(node).atLeast()).isEmpty();
        assertThat(node.jobs()
                        .search(JobQuery.all().status(JobStatus.RUNNING, JobStatus.CLAIMED))
                        .jobs())
                .extracting(JobInfo::id)
                .containsExactly(talks);
        assertThat(node.jobs().search(JobQuery.all().status(JobStatus.WAITING)).jobs())
                .extracting(JobInfo::id)
                .containsExactly(child);
        handlers.finish.countDown();
    }

    private static QueueInfo counted(Muster node) {
        return node.queues().list().stream()
                .filter(queue -> queue.name().equals("default"))
                .findFirst()
                .orElseGet(() -> QueueInfo.empty("default"));
    }

    @Test
    void aWaitingJobSaysWhy() {
        Muster client = builder(Map.of(), handlers).build();
        JobId plain = client.jobs().enqueue("plain", null);
        assertThat(reason(client, plain)).isEqualTo("no live node is there");
        client.close();

        Muster node = node(Map.of("node.queues", "default"), handlers);
        JobId gpu = node.jobs().enqueue(JobRequest.of("plain").capability("gpu"));
        JobId mail = node.jobs().enqueue("mail", null);
        JobId later = node.jobs().enqueue(JobRequest.of("plain").delay(Duration.ofHours(1)));
        JobId child = node.jobs().enqueue(JobRequest.of("plain").dependsOn(later));
        database.execute(
                "UPDATE muster_jobs SET name = 'unheard_of' WHERE id = '" + plain + "' AND status = 'pending'");

        assertThat(reason(node, gpu)).isEqualTo("no live node with a handler has capability 'gpu'");
        assertThat(reason(node, mail)).isEqualTo("no live node with a handler serves queue 'mail'");
        assertThat(reason(node, later)).startsWith("it is due at 20").endsWith(" UTC");
        assertThat(reason(node, child)).isEqualTo("it depends on 1 job that has not completed: " + later);
    }

    @Test
    void progressAndLogLinesShowWhileItRuns() throws Exception {
        Muster node = node(handlers);
        JobId id = node.jobs().enqueue("talkative", null);

        await().untilAsserted(
                        () -> assertThat(node.jobs().find(id).orElseThrow().progress())
                                .contains(new Progress(40, Optional.of("half way, nearly"))));
        await().untilAsserted(() -> assertThat(node.jobs().logs(id, 0, 10))
                .extracting(LogLine::message)
                .containsExactly("hello", "careful\uFFFD"));
        handlers.finish.countDown();
        assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
        await().untilAsserted(() -> {
            List<LogLine> lines = node.jobs().logs(id, 0, 10_000);
            assertThat(lines).hasSize(1_001);
            assertThat(lines.get(1_000).message()).contains("further lines of this attempt are dropped");
        });
    }

    @Test
    void theLastProgressBeforeTheEndIsKept() throws Exception {
        Muster node = node(handlers);
        List<JobId> ids = node.jobs()
                .enqueueAll(IntStream.range(0, 20)
                        .mapToObj(i -> JobRequest.of("counts", i % 2 == 0))
                        .toList());

        for (JobId id : ids) {
            assertThat(ended(node, id).progress()).contains(new Progress(100, Optional.of("row 100")));
        }
    }

    @Test
    void aSnoozedJobRunsAgainWithoutAnAttempt() throws Exception {
        Muster node = node(handlers);

        JobInfo job = ended(node, node.jobs().enqueue("snoozes", null));

        assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(job.result()).contains("1");
        assertThat(handlers.runs).hasValue(3);
    }

    @Test
    void childrenRunAfterTheirParents() throws Exception {
        Muster node = node(handlers);
        JobId parent = node.jobs().enqueue(JobRequest.of("plain").delay(Duration.ofMillis(300)));
        JobId child = node.jobs().enqueue(JobRequest.of("plain").dependsOn(parent));
        JobId failing = node.jobs().enqueue("fails", null);
        JobId orphan = node.jobs().enqueue(JobRequest.of("plain").dependsOn(failing, child));

        JobInfo done = ended(node, child);
        assertThat(done.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(done.finishedAt().orElseThrow())
                .isAfterOrEqualTo(ended(node, parent).finishedAt().orElseThrow());
        assertThat(ended(node, orphan).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void anExpiredJobDoesNotRun() throws Exception {
        Muster client = builder(Map.of(), handlers).build();
        JobId id = client.jobs().enqueue(JobRequest.of("plain").expiresIn(Duration.ofMillis(1)));
        client.close();

        Muster node = node(handlers);

        assertThat(ended(node, id).status()).isEqualTo(JobStatus.EXPIRED);
        assertThat(handlers.runs).hasValue(0);
    }

    @Test
    void aWaitThatIsInterruptedSaysSoAndKeepsTheFlag() {
        Muster node = node(handlers);
        JobId id = node.jobs().enqueue(JobRequest.of("plain").delay(Duration.ofHours(1)));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> node.jobs().await(id, Duration.ofSeconds(20)))
                .isInstanceOf(WaitInterrupted.class)
                .hasMessageContaining("job " + id + " to end");
        assertThat(Thread.interrupted()).isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(node::awaitDrained)
                .isInstanceOf(WaitInterrupted.class)
                .hasMessageContaining(node.nodeId());
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void jobsAreFoundByTagAndMetadataAndCancelledOrRetriedTogether() throws Exception {
        Muster node = node(handlers);
        List<JobId> red = node.jobs()
                .enqueueAll(IntStream.range(0, 30)
                        .mapToObj(i -> JobRequest.of("plain")
                                .delay(Duration.ofHours(1))
                                .tags("red", "big"))
                        .toList());
        node.jobs()
                .enqueue(JobRequest.of("plain")
                        .delay(Duration.ofHours(1))
                        .tags("blue")
                        .metadata("tenant", "acme")
                        .metadata("region", "eu"));

        assertThat(node.jobs().list(JobQuery.all().tags("red"))).hasSize(30);
        assertThat(node.jobs().list(JobQuery.all().metadata("tenant", "acme")))
                .singleElement()
                .satisfies(job -> assertThat(job.metadata()).isEqualTo(Map.of("tenant", "acme", "region", "eu")));
        JobQuery acme = JobQuery.all().metadata("tenant", "acme");
        assertThat(node.jobs().list(acme.metadata("region", "eu"))).hasSize(1);
        assertThat(node.jobs().list(acme.metadata("region", "us"))).isEmpty();
        assertThat(node.jobs().list(JobQuery.all().ids(red.subList(3, 6))))
                .extracting(JobInfo::id)
                .containsExactly(red.get(5), red.get(4), red.get(3));
        List<JobInfo> page = node.jobs().list(JobQuery.all().tags("red").limit(20));
        assertThat(node.jobs()
                        .list(JobQuery.all().tags("red").before(page.get(19).id())))
                .hasSize(10);

        assertThat(node.jobs().cancelAll(JobQuery.all().tags("red"))).isEqualTo(new BulkCancellation(30, 0));
        assertThat(node.jobs().find(red.get(0)).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(node.jobs().retryAll(JobQuery.all().tags("red")))
                .as("what was cancelled is taken only if it is asked for")
                .isZero();
        assertThat(node.jobs().retryAll(JobQuery.all().tags("red").status(JobStatus.CANCELLED)))
                .isEqualTo(30);
        for (JobId id : red) {
            assertThat(ended(node, id).status()).isEqualTo(JobStatus.COMPLETED);
        }
        assertThat(handlers.runs).hasValue(30);
    }

    @Test
    void aSleepingNodeRunsAJobThatIsDueEarlierThanItWas() throws Exception {
        Muster node = node(ONLY_WHEN_WOKEN, handlers);
        JobId first = node.jobs().enqueue("plain", null);
        JobId later = node.jobs().enqueue(JobRequest.of("plain").delay(Duration.ofHours(2)));
        ended(node, first);
        nothingHappensFor(
                Duration.ofMillis(300),
                () -> assertThat(node.jobs().find(later).orElseThrow().status()).isEqualTo(JobStatus.PENDING));

        assertThat(node.jobs().reschedule(later, Duration.ZERO)).isTrue();

        assertThat(node.jobs().await(later, PATIENCE).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(node.jobs().reschedule(later, Duration.ZERO)).isFalse();
        JobId soon = node.jobs().enqueue(JobRequest.of("plain").delay(Duration.ofHours(2)));
        assertThat(node.jobs().reschedule(soon, Duration.ofMillis(500))).isTrue();
        assertThat(node.jobs().await(soon, PATIENCE).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void whatWasCancelledWithAParentIsRetriedWithIt() throws Exception {
        Muster node = node(handlers);
        JobId parent = node.jobs().enqueue("counts", true);
        JobId child = node.jobs().enqueue(JobRequest.of("plain").dependsOn(parent));
        JobId either = node.jobs().enqueue(JobRequest.of("plain").dependsOnAnyOutcome(parent, child));
        assertThat(ended(node, child).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(ended(node, either).status()).isEqualTo(JobStatus.COMPLETED);

        assertThatThrownBy(() -> node.jobs().retry(child)).hasMessageContaining(parent.toString());
        assertThat(node.jobs().retryAll(JobQuery.all())).as("failed ones only").isEqualTo(1);
        assertThatThrownBy(() -> node.jobs().retryAll(JobQuery.all().status(JobStatus.RUNNING)))
                .hasMessageContaining("running");
        ended(node, parent);
        // It fails again; with other args it would not.
        database.execute("UPDATE muster_job_history SET args = 'false' WHERE id = '" + parent + "'");

        assertThat(node.jobs().retryWithDependents(parent)).isEqualTo(2);

        assertThat(ended(node, child).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(ended(node, child).dependencies())
                .containsExactly(new JobInfo.Dependency(parent, Optional.of(JobStatus.COMPLETED), false));
        assertThat(ended(node, child).startedAt().orElseThrow())
                .isAfterOrEqualTo(ended(node, parent).startedAt().orElseThrow());
    }
}
