package dev.muster.testkit;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;
import static dev.muster.testkit.Shop.FLAKY;
import static dev.muster.testkit.Shop.PLACE_ORDER;
import static dev.muster.testkit.Shop.SEND_RECEIPT;
import static java.time.Duration.ofDays;

import dev.muster.job.Cancellation;
import dev.muster.job.ClaimLost;
import dev.muster.job.InvalidJob;
import dev.muster.job.Job;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.KeyConflict;
import dev.muster.job.LogLine;
import dev.muster.testkit.Shop.Order;
import dev.muster.testkit.Shop.Receipt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Unit tests without a database. */
class InlineJobsTest {
    private final Shop shop = new Shop(new InlineJobs());
    private final InlineJobs jobs = new InlineJobs(shop);

    @Test
    void enqueuingRunsTheJob() {
        JobId id = jobs.enqueue(SEND_RECEIPT, new Receipt(1));

        JobInfo job = jobs.await(id, ofDays(1));
        assertThat(job).isCompleted();
        assertThat(jobs.result(SEND_RECEIPT, job)).isEqualTo("sent");
        assertThat(shop.log).containsExactly("receipt 1");
    }

    @Test
    void retriesFollowAtOnce() {
        assertThat(jobs).job(jobs.enqueue(FLAKY, new Order(3))).isCompleted().hasAttempt(3);
        assertThat(jobs).job(jobs.enqueue(FLAKY, new Order(9))).failedWith("attempt 3 is too early");
        assertThat(jobs).job(jobs.enqueue("picky", null)).isFailed().hasAttempt(1);
        assertThat(jobs)
                .job(jobs.enqueue(JobRequest.of(FLAKY, new Order(3)).maxAttempts(2)))
                .isFailed();
    }

    @Test
    void handlersSeeTheTraceOfTheirJob() {
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        List<Optional<String>> seen = new ArrayList<>();
        InlineJobs traced = new InlineJobs(JobHandler.named("traced").run((ctx, none) -> seen.add(ctx.trace())));

        JobId with = traced.enqueue(JobRequest.of("traced").trace(trace));
        JobId without = traced.enqueue("traced", null);

        assertThat(seen).containsExactly(Optional.of(trace), Optional.empty());
        assertThat(traced.find(with).orElseThrow().trace()).contains(trace);
        assertThat(traced.find(without).orElseThrow().trace()).isEmpty();
    }

    @Test
    void thereIsNoConnection() {
        InlineJobs wantsOne = new InlineJobs(
                JobHandler.named("writes").run((ctx, none) -> ctx.connection().close()));
        assertThat(wantsOne)
                .job(wantsOne.enqueue("writes", null))
                .failedWith("jobs that run inline have no database; use @MusterTest for what needs a connection");
    }

    @Test
    void aDeadLetterCanBeRetried() {
        JobId id = jobs.enqueue(FLAKY, new Order(4));

        assertThat(jobs.retry(id)).isTrue();

        assertThat(shop.log).hasSize(6);
        assertThat(jobs.retry(jobs.enqueue(SEND_RECEIPT, new Receipt(1)))).isFalse();
    }

    @Test
    void requestsAreCheckedAsInProduction() {
        assertThatThrownBy(() -> jobs.enqueue("typo", null)).isInstanceOf(InvalidJob.class);
        assertThatThrownBy(() -> jobs.enqueue("send_receipt", Map.of("ordr", 1)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("do not fit Receipt");
        assertThat(jobs).isEmpty();
    }

    @Test
    void aKeyStandsForOneJob() {
        JobRequest first = JobRequest.of(SEND_RECEIPT, new Receipt(1)).key("k");

        assertThat(jobs.enqueue(first)).isEqualTo(jobs.enqueue(first));

        assertThat(shop.log).hasSize(1);
        assertThatThrownBy(() ->
                        jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(2)).key("k")))
                .isInstanceOf(KeyConflict.class);
    }

    @Test
    void anIdStandsForOneJob() {
        JobRequest first = JobRequest.of(SEND_RECEIPT, new Receipt(1)).id(JobId.next());

        JobId id = jobs.enqueue(first);

        assertThat(jobs.enqueue(first)).isEqualTo(id);
        assertThat(shop.log).hasSize(1);
        assertThatThrownBy(() -> jobs.enqueue(JobRequest.of(JobType.of("other", Void.class, Void.class), null)
                        .id(id)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("because it is that of job 'send_receipt'");
    }

    @Test
    void aJobWithoutAHandlerIsOnlyRecorded() {
        JobId id = jobs.enqueue(JobType.of("elsewhere", Order.class, Void.class), new Order(1));

        assertThat(jobs).enqueued("elsewhere").single().isPending();
        assertThat(jobs.cancel(id)).isEqualTo(Cancellation.CANCELLED);
        assertThat(jobs).job(id).isCancelled();
        assertThat(jobs.cancel(id)).isEqualTo(Cancellation.ALREADY_ENDED);
    }

    @Test
    void whatAHandlerEnqueuesRunsAfterIt() {
        List<String> order = new ArrayList<>();
        InlineJobs[] self = new InlineJobs[1];
        class Chain {
            @Job("first")
            void first() {
                self[0].enqueue("second", null);
                order.add("first");
            }

            @Job("second")
            void second() {
                order.add("second");
            }

            @Job("forever")
            void forever() {
                self[0].enqueue("forever", null);
            }
        }
        self[0] = new InlineJobs(new Chain());

        self[0].enqueue("first", null);

        assertThat(order).containsExactly("first", "second");
        assertThatThrownBy(() -> self[0].enqueue("forever", null)).hasMessageContaining("without end");
    }

    @Test
    void withNoHandlersAtAllItRecords() {
        InlineJobs recorder = new InlineJobs();
        new Shop(recorder).placeOrder(new Order(7));

        assertThat(recorder).enqueued("send_receipt").withArgs(new Receipt(7)).withKey("order-7");
        assertThat(recorder).notEnqueued(PLACE_ORDER);
    }

    @Test
    void dependentsRunAfterTheirParents() {
        JobId elsewhere = jobs.enqueue(JobType.of("elsewhere", Order.class, Void.class), new Order(1));
        JobId waits = jobs.enqueue(JobRequest.of(SEND_RECEIPT, new Receipt(1)).dependsOn(elsewhere));
        JobId runs = jobs.enqueue(
                JobRequest.of(SEND_RECEIPT, new Receipt(2)).dependsOn(jobs.enqueue(SEND_RECEIPT, new Receipt(3))));
        assertThat(jobs).job(waits).hasStatus(JobStatus.WAITING);
        assertThat(jobs).job(runs).isCompleted();

        jobs.cancel(elsewhere);

        assertThat(jobs).job(waits).isCancelled().hasError("depends");
        assertThat(shop.log).containsExactly("receipt 3", "receipt 2");
    }

    @Test
    void attemptsAreKept() {
        InlineJobs inline = new InlineJobs(
                JobHandler.named("twice").run((ctx, none) -> {
                    if (ctx.attempt() == 1) {
                        throw new IllegalStateException("not yet");
                    }
                }),
                JobHandler.named("later").run((ctx, none) -> {
                    throw ctx.snooze(ofDays(1));
                }));

        JobId twice = inline.enqueue("twice", null);
        assertThat(inline.attempts(twice))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.COMPLETED);
        assertThat(inline.attempts(twice).get(0).error().orElseThrow()).contains("not yet");
        assertThat(inline.attempts(inline.enqueue("later", null)))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.SNOOZED);
        assertThat(inline.attempts(JobId.next())).isEmpty();
    }

    @Test
    void handlersEnqueueWithTheirContext() {
        InlineJobs inline = new InlineJobs(
                JobHandler.named("child").run((ctx, none) -> ctx.log().info("child of {}", "parent")),
                JobHandler.named("parent")
                        .handle((ctx, none) -> ctx.jobs().enqueue("child", null).toString()));
        JobInfo parent = inline.await(inline.enqueue("parent", null), ofDays(1));

        JobId child = JobId.of(parent.result().orElseThrow().replace("\"", ""));
        assertThat(inline).job(child).isCompleted();
        assertThat(inline.logs(child, 0, 10)).extracting(LogLine::message).containsExactly("child of parent");
    }

    @Test
    void aCountedRetryIsCounted() {
        InlineJobs inline = new InlineJobs(JobHandler.named("busy").run((ctx, none) -> {
            throw ctx.retryIn(ofDays(1), "429");
        }));
        assertThat(inline).job(inline.enqueue("busy", null)).failedWith("429").hasAttempt(3);
    }

    @Test
    void aHandlerNeitherSeesTheInterruptOfTheTestNorLeavesItsOwn() {
        InlineJobs inline = new InlineJobs(
                JobHandler.named("asks")
                        .handle((ctx, none) -> Thread.currentThread().isInterrupted()),
                JobHandler.named("leaves_one")
                        .run((ctx, none) -> Thread.currentThread().interrupt()));

        assertThat(inline).job(inline.enqueue("leaves_one", null)).isCompleted();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        Thread.currentThread().interrupt();
        JobId asks = inline.enqueue("asks", null);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(inline).job(asks).isCompleted().hasResult(false);
    }

    @Test
    void aJobWhoseHandlerSaysThatItsClaimIsLostGoesBack() {
        InlineJobs inline = new InlineJobs(JobHandler.named("loses").run((ctx, none) -> {
            throw new ClaimLost(ctx.id());
        }));
        assertThat(inline).job(inline.enqueue("loses", null)).isPending().hasAttempt(0);
    }

    @Test
    void aPageOfLargeJobsEndsEarlyAndEveryJobIsOnOnePage() {
        InlineJobs large =
                new InlineJobs(JobHandler.of(JobType.of("large", String.class)).run((ctx, text) -> {}));
        String args = "x".repeat(1_000_000);
        List<JobId> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add(0, large.enqueue("large", args));
        }
        List<JobId> found = new ArrayList<>();
        int pages = 1;
        JobPage page = large.search(JobQuery.all().limit(1_000));
        page.jobs().forEach(job -> found.add(job.id()));
        while (page.next().isPresent()) {
            page = large.search(JobQuery.all().limit(1_000).before(page.next().get()));
            page.jobs().forEach(job -> found.add(job.id()));
            pages++;
        }

        assertThat(found).isEqualTo(all);
        assertThat(pages).isEqualTo(3);
        assertThat(large.list(JobQuery.all().limit(1_000))).hasSize(40);
    }
}
