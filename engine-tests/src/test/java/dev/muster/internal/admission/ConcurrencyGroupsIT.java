package dev.muster.internal.admission;

import static dev.muster.testing.Periods.nothingHappensFor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.Enqueuer;
import dev.muster.job.InvalidJob;
import dev.muster.job.Job;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Concurrency groups on several nodes. */
class ConcurrencyGroupsIT extends EngineIT {
    private static final Logger log = LoggerFactory.getLogger(ConcurrencyGroupsIT.class);
    private static final Map<String, String> FOUR_THREADS = Map.of("worker.concurrency", "4");
    private static final Duration SOON = Duration.ofMillis(50);
    private static final JobType<Mail, Void> MAIL = JobType.of("mail", Mail.class, Void.class);

    record Customer(String id) {}

    record Mail(Customer customer, int number) {}

    private static Mail mail(String customer, int number) {
        return new Mail(new Customer(customer), number);
    }

    /** Counts how many jobs of each key run at the same time. */
    private static final class Witness {
        private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        private final Map<String, Integer> most = new ConcurrentHashMap<>();
        private final Semaphore entered = new Semaphore(0);
        private final AtomicInteger done = new AtomicInteger();

        /** A job of this key runs; it stays for a moment, so that one too many can come in. */
        void run(String key) throws InterruptedException {
            AtomicInteger now = running.computeIfAbsent(key, k -> new AtomicInteger());
            most.merge(key, now.incrementAndGet(), Math::max);
            try {
                entered.release();
                entered.tryAcquire(2, 3, TimeUnit.MILLISECONDS);
            } finally {
                now.decrementAndGet();
                done.incrementAndGet();
            }
        }
    }

    private static JobHandler.Builder<Mail, Void> mailHandler() {
        return JobHandler.of(MAIL).retry(RetryPolicy.exponential(5, SOON, SOON));
    }

    private void awaitCompleted(Muster node, List<JobId> ids) {
        await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(ids)
                        .allSatisfy(id -> assertThat(
                                        node.jobs().find(id).orElseThrow().status())
                                .isEqualTo(JobStatus.COMPLETED)));
    }

    @Test
    void noMoreJobsOfAKeyThanItsLimitRunOnAllNodesTogether() {
        Witness witness = new Witness();
        class Handlers {
            @Job(value = "mail", maxConcurrent = 3, concurrencyKey = "customer.id")
            void send(Mail mail) throws Exception {
                witness.run(mail.customer().id());
            }
        }
        List<Muster> nodes = IntStream.range(0, 4)
                .mapToObj(i -> node(FOUR_THREADS, new Handlers()))
                .toList();
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            ids.add(nodes.get(i % 4).jobs().enqueue(MAIL, mail(i % 2 == 0 ? "acme" : "other", i)));
        }

        awaitCompleted(nodes.get(0), ids);

        assertThat(witness.most.values()).hasSize(2).allMatch(most -> most <= 3);
        assertThat(witness.done).hasValue(100);
    }

    @Test
    void jobsOfAnOrderedHandlerRunInOrderEvenIfTheyFail() {
        Queue<Integer> order = new ConcurrentLinkedQueue<>();
        AtomicInteger failures = new AtomicInteger();
        JobHandler handler = mailHandler()
                .concurrencyKey("customer.id")
                .ordered()
                .run((ctx, mail) -> {
                    if (mail.number() % 5 == 0 && ctx.attempt() == 1) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("not the first time");
                    }
                    order.add(mail.number());
                });
        Muster node = node(FOUR_THREADS, handler);
        node(FOUR_THREADS, handler);
        List<JobId> ids = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            ids.add(node.jobs().enqueue(MAIL, mail("acme", i)));
        }

        awaitCompleted(node, ids);

        assertThat(order)
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 20).boxed().toList());
        assertThat(failures).hasValue(4);
    }

    @Test
    void jobsOfOneFifoKeyRunInOrderWhateverTheirNames() {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        JobHandler one = JobHandler.named("one").args(String.class).run((ctx, text) -> order.add(text));
        JobHandler two = JobHandler.named("two").args(String.class).run((ctx, text) -> order.add(text));
        Muster node = node(FOUR_THREADS, one, two);
        node(FOUR_THREADS, one, two);
        List<JobId> ids = new ArrayList<>();
        for (int i = 10; i < 40; i++) {
            JobRequest request = JobRequest.of(i % 2 == 0 ? "one" : "two", String.valueOf(i));
            ids.add(node.jobs().enqueue(request.fifo("order-17")));
        }

        awaitCompleted(node, ids);

        assertThat(order)
                .containsExactlyElementsOf(
                        IntStream.range(10, 40).mapToObj(String::valueOf).toList());
    }

    @Test
    void aJobThatWaitsForItsNextAttemptGivesItsPlaceBack() throws Exception {
        CountDownLatch second = new CountDownLatch(1);
        JobHandler handler = JobHandler.of(MAIL)
                .maxConcurrent(1)
                .retry(RetryPolicy.fixed(3, Duration.ofHours(1)))
                .run((ctx, mail) -> {
                    if (mail.number() == 2) {
                        second.countDown();
                    } else if (ctx.attempt() == 1) {
                        throw new IllegalStateException("later");
                    } else {
                        assertThat(second.getCount())
                                .as("the other one ran meanwhile")
                                .isZero();
                    }
                });
        Muster node = node(FOUR_THREADS, handler);

        JobId first = node.jobs().enqueue(MAIL, mail("acme", 1));
        JobId other = node.jobs().enqueue(MAIL, mail("acme", 2));

        assertThat(ended(node, other).status()).isEqualTo(JobStatus.COMPLETED);
        timePasses(Duration.ofHours(2), node);
        JobInfo last = ended(node, first);
        assertThat(last.status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(last.attempt()).isEqualTo(2);
    }

    /** Otherwise its thread would be one more than allowed. */
    @Test
    void aHandlerThatIgnoresItsTimeoutKeepsItsPlaceUntilItReturns() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        class Handlers {
            @Job(value = "mail", maxConcurrent = 1, timeout = "200ms", maxAttempts = 1)
            void send(Mail mail) {
                entered.countDown();
                while (mail.number() == 1 && release.getCount() > 0) {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        continue;
                    }
                }
            }
        }
        Muster node = node(FOUR_THREADS, new Handlers());
        node(FOUR_THREADS, new Handlers());
        JobId first = node.jobs().enqueue(MAIL, mail("acme", 1));
        assertThat(entered.await(90, TimeUnit.SECONDS)).isTrue();
        JobId second = node.jobs().enqueue(MAIL, mail("acme", 2));

        nothingHappensFor(Duration.ofSeconds(1), () -> {
            assertThat(node.jobs().find(first).orElseThrow().status().isTerminal())
                    .isFalse();
            assertThat(node.jobs().find(second).orElseThrow().status()).isEqualTo(JobStatus.WAITING);
        });
        release.countDown();

        JobInfo stuck = ended(node, first);
        assertThat(stuck.status()).as("what it returned does not count").isEqualTo(JobStatus.FAILED);
        assertThat(stuck.error()).hasValueSatisfying(error -> assertThat(error).contains("timed out"));
        assertThat(ended(node, second).status()).isEqualTo(JobStatus.COMPLETED);
    }

    /** The enqueuer has no handler, and no node was there to publish its limit. */
    @Test
    void anEnqueuerThatDoesNotKnowTheLimitCannotBypassIt() {
        Muster enqueuer = builder(Map.of(), JobHandler.named("unrelated").run((ctx, none) -> {}))
                .build();
        List<JobId> ids = new ArrayList<>();
        try (enqueuer) {
            enqueuer.migrate();
            for (int i = 0; i < 40; i++) {
                ids.add(enqueuer.jobs().enqueue(MAIL, mail("acme", i)));
            }
        }
        Witness witness = new Witness();
        JobHandler handler =
                mailHandler().maxConcurrent(2).concurrencyKey("customer.id").run((ctx, mail) -> witness.run("acme"));
        Muster node = node(FOUR_THREADS, handler);
        node(FOUR_THREADS, handler);

        awaitCompleted(node, ids);

        assertThat(witness.most.get("acme")).isLessThanOrEqualTo(2);
        assertThat(witness.done).hasValue(40);
        assertThat(ids)
                .allSatisfy(id ->
                        assertThat(node.jobs().find(id).orElseThrow().attempt()).isOne());
    }

    /** A process that enqueues for another service learns its limits from the database. */
    @Test
    void anEnqueuerWithoutTheHandlerPutsJobsIntoTheirGroupsOnceTheLimitIsPublished() {
        Semaphore go = new Semaphore(0);
        node(mailHandler().maxConcurrent(1).run((ctx, mail) -> go.acquire()));
        Muster other = node(JobHandler.named("unrelated").run((ctx, none) -> {}));
        JobId first = other.jobs().enqueue(MAIL, mail("acme", 1));
        JobId second = other.jobs().enqueue(MAIL, mail("acme", 2));

        await().until(() -> other.jobs().find(first).orElseThrow().status() == JobStatus.RUNNING);

        JobInfo waiting = other.jobs().find(second).orElseThrow();
        assertThat(waiting.status()).isEqualTo(JobStatus.WAITING);
        assertThat(waiting.attempt()).isZero();
        assertThat(waiting.waitingReason()).contains("mail runs 1 of at most 1; 0 before it");
        go.release(2);
        awaitCompleted(other, List.of(first, second));
    }

    @Test
    void aJobSaysWhyItWaitsForAdmission() {
        Semaphore go = new Semaphore(0);
        Muster node = node(
                FOUR_THREADS,
                mailHandler().maxConcurrent(2).concurrencyKey("customer.id").run((ctx, mail) -> go.acquire()),
                JobHandler.named("plain").run((ctx, none) -> go.acquire()));
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(node.jobs().enqueue(MAIL, mail("acme", i)));
        }
        JobId fifo = node.jobs().enqueue(JobRequest.of("plain").fifo("order-17"));
        JobId behind = node.jobs().enqueue(JobRequest.of("plain").fifo("order-17"));

        assertThat(node.jobs().find(ids.get(4)).orElseThrow().waitingReason())
                .contains("key 'acme' of mail runs 2 of at most 2; 2 before it");
        await().untilAsserted(
                        () -> assertThat(node.jobs().find(behind).orElseThrow().waitingReason())
                                .contains("fifo key 'order-17' runs 1 of at most 1; 0 before it"));
        go.release(100);
        ids.addAll(List.of(fifo, behind));
        awaitCompleted(node, ids);
    }

    @Test
    void aDeadLetterAndACancelledJobLetTheNextOneRun() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        JobHandler handler = JobHandler.of(MAIL)
                .maxConcurrent(1)
                .retry(RetryPolicy.exponential(1, SOON, SOON))
                .run((ctx, mail) -> {
                    if (mail.number() == 1) {
                        throw new IllegalStateException("for good");
                    }
                    if (mail.number() == 2) {
                        entered.countDown();
                        new CountDownLatch(1).await();
                    }
                });
        Muster node = node(FOUR_THREADS, handler);
        JobId fails = node.jobs().enqueue(MAIL, mail("acme", 1));
        JobId cancelled = node.jobs().enqueue(MAIL, mail("acme", 2));
        JobId last = node.jobs().enqueue(MAIL, mail("acme", 3));

        assertThat(ended(node, fails).status()).isEqualTo(JobStatus.FAILED);
        assertThat(entered.await(90, TimeUnit.SECONDS)).isTrue();
        node.jobs().cancel(cancelled);

        assertThat(ended(node, cancelled).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(ended(node, last).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void aJobOfACallersTransactionIsAdmittedAfterItsCommitAndDelaysNobody() throws Exception {
        Muster node = node(
                FOUR_THREADS,
                mailHandler().maxConcurrent(2).concurrencyKey("customer.id").run((ctx, mail) -> {}));
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            Enqueuer inTransaction = node.jobs().in(connection);
            JobId open = inTransaction.enqueue(MAIL, mail("acme", 1));
            JobId other = node.jobs().enqueue(MAIL, mail("acme", 2));
            assertThat(ended(node, other).status()).isEqualTo(JobStatus.COMPLETED);
            connection.commit();
            assertThat(ended(node, open).status()).isEqualTo(JobStatus.COMPLETED);
        }
    }

    @Test
    void aRateLimitsHowManyJobsBegin() throws Exception {
        AtomicInteger begun = new AtomicInteger();
        Muster node = node(
                FOUR_THREADS, mailHandler().rate(3, Duration.ofHours(1)).run((ctx, mail) -> begun.incrementAndGet()));
        List<JobId> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(node.jobs().enqueue(MAIL, mail("acme", i)));
        }
        await().until(() -> begun.get() == 1);
        nothingHappensFor(Duration.ofMillis(500), () -> assertThat(begun).hasValue(1));
        // Each time that a part of the interval has passed, one begins.
        for (int i = 2; i <= 5; i++) {
            int jobs = i;
            // Nothing is claimed or running when time passes.
            await().until(() -> completed(node, ids) == jobs - 1);
            timePasses(Duration.ofMinutes(20), node);
            await().until(() -> begun.get() == jobs);
        }
        awaitCompleted(node, ids);
        assertThat(begun).hasValue(5);
    }

    private static long completed(Muster node, List<JobId> ids) {
        return ids.stream()
                .filter(id -> node.jobs().find(id).orElseThrow().status() == JobStatus.COMPLETED)
                .count();
    }

    /** However many jobs a tenant has, another one's job waits for two windows of them at most. */
    @Test
    void oneTenantsManyJobsDoNotDelayAnothersOne() {
        int jobs = Sizes.of(3_000, 100_000);
        int atFirst = 500;
        int window = 200;
        Semaphore mayRun = new Semaphore(atFirst);
        AtomicInteger big = new AtomicInteger();
        AtomicInteger before = new AtomicInteger(-1);
        JobHandler handler = JobHandler.named("tenant").args(String.class).run((ctx, tenant) -> {
            if (tenant.equals("small")) {
                before.set(big.get());
            } else {
                mayRun.acquire();
                big.incrementAndGet();
            }
        });
        Muster enqueuer = builder(Map.of(), handler).build();
        try (enqueuer) {
            enqueuer.migrate();
            for (int i = 0; i < jobs; i += 1_000) {
                enqueuer.jobs()
                        .enqueueAll(IntStream.range(0, 1_000)
                                .mapToObj(n -> JobRequest.of("tenant", "big").fairKey("big"))
                                .toList());
            }
        }
        Muster node = node(FOUR_THREADS, handler);
        await().until(() -> big.get() == atFirst);
        node.jobs().enqueue(JobRequest.of("tenant", "small").fairKey("small"));
        mayRun.release(jobs);

        await().until(() -> before.get() >= 0);

        log.info("{} of {} jobs of another tenant ran before it", before.get() - atFirst, jobs);
        assertThat(before.get() - atFirst).isLessThanOrEqualTo(2 * window);
        node.jobs().cancelAll(JobQuery.all().name("tenant"));
    }

    /** All customers would share one limit, and nobody would notice. */
    @Test
    void aKeyThatIsNoFieldOfTheArgsIsRefusedWhenTheMusterIsBuilt() {
        for (String key : List.of("customr.id", "customer.idd")) {
            assertThatThrownBy(() -> node(
                            mailHandler().maxConcurrent(2).concurrencyKey(key).run((ctx, mail) -> {})))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("job 'mail': its concurrencyKey '" + key + "' is no field of");
        }
    }

    @Test
    void requestsAndHandlersThatContradictThemselvesAreRefused() {
        assertThatThrownBy(() -> JobRequest.of("mail").fifo("a").fairKey("b"))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("at most one of concurrencyKey, fairKey and fifo");
        assertThatThrownBy(() -> mailHandler().maxConcurrent(3).ordered().run((ctx, mail) -> {}))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("ordered jobs run one at a time");
        assertThatThrownBy(() -> mailHandler().concurrencyKey("customer.id").run((ctx, mail) -> {}))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("add maxConcurrent, ordered or rate");
        Muster node = node(mailHandler().maxConcurrent(1).run((ctx, mail) -> {}));
        assertThatThrownBy(() ->
                        node.jobs().enqueue(JobRequest.of(MAIL, mail("acme", 1)).fairKey("b")))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("can have a concurrencyKey, but neither fifo nor fairKey");
    }
}
