package dev.muster.workflow;

import static dev.muster.workflow.Shop.CHECKOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import dev.muster.testkit.Node;
import dev.muster.workflow.Shop.Cart;
import dev.muster.workflow.Shop.Receipt;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Runs execute their steps, once as far as possible, on whatever node there is. */
class WorkflowIT extends WorkflowCluster {
    private final Shop shop = new Shop();

    @Test
    void runsItsStepsAndReturnsItsResult() {
        cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));

        RunInfo info = ended(run);

        assertThat(info.status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().result(CHECKOUT, info)).isEqualTo(new Receipt(7, "r-7", 42));
        assertThat(shop.effects).containsExactly("reserve book", "charge 7 attempt 1", "ship 7");
        assertThat(workflows().steps(run)).extracting(StepInfo::name).containsExactly("reserve", "charge", "ship");
        assertThat(cluster.jobs().find(run)).isPresent();
    }

    @Test
    void runsOnTheTestsThread() {
        cluster.register(shop);

        assertThat(cluster.run(CHECKOUT, new Cart(8, "map"))).isEqualTo(new Receipt(8, "r-8", 42));
        JobId run = workflows().start("nap", null);
        cluster.drain();
        assertThat(workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.SLEEPING);
        cluster.clock().advance(Duration.ofHours(1));
        cluster.drain();
        assertThat(workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    void aRunStartedWhileNoNodePreparedItsDayStoresItsSteps() {
        cluster.register(shop);
        cluster.clock().advance(Duration.ofDays(40));
        JobId run = workflows().start(CHECKOUT, new Cart(8, "map"));
        cluster.clock().advance(Duration.ofDays(5));

        cluster.node();

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().steps(run)).hasSize(3);
    }

    @Test
    void aStepIsRetriedAndItsAttemptsAreStored() {
        cluster.node(shop);
        shop.chargesToFail.set(2);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shop.effects)
                .containsExactly(
                        "reserve book", "charge 7 attempt 1", "charge 7 attempt 2", "charge 7 attempt 3", "ship 7");
    }

    /** Its step hangs in the first attempts. */
    static final class Hanging {
        final AtomicInteger hangs = new AtomicInteger();

        @Workflow(name = "hanging", version = "1")
        int run(WorkflowContext wf) {
            return wf.step("call", Integer.class)
                    .timeout(Duration.ofMillis(100))
                    .retry(RetryPolicy.fixed(2, Duration.ofMillis(1)))
                    .run(step -> {
                        if (hangs.getAndDecrement() > 0) {
                            new CountDownLatch(1).await();
                        }
                        return step.attempt();
                    });
        }
    }

    @Test
    void aStepIsInterruptedAfterItsTimeoutAndTriedAgain() {
        Hanging workflow = new Hanging();
        cluster.node(workflow);

        workflow.hangs.set(1);
        assertThat(ended(workflows().start("hanging", null)).result()).contains("2");
        workflow.hangs.set(2);
        RunInfo failed = ended(workflows().start("hanging", null));
        assertThat(failed.status()).isEqualTo(RunStatus.FAILED);
        assertThat(failed.error().orElseThrow()).contains("step 'call' was interrupted after its timeout of PT0.1S");
    }

    @Test
    void aFailureIsCompensatedInReverseOrder() {
        cluster.node(shop);
        shop.shipFails.set(true);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));

        // The default policy waits about a second and two before its retries of "ship".
        RunInfo info = workflows().await(run, SOON);

        assertThat(info.status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(info.error().orElseThrow()).contains("no truck");
        assertThat(shop.effects)
                .startsWith("reserve book", "charge 7 attempt 1", "ship 7")
                .endsWith("refund 7 attempt 1", "release book");
    }

    @Test
    void anotherNodeContinuesAfterACrash() throws InterruptedException {
        shop.mayCharge = new CountDownLatch(1);
        Node first = cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));
        assertThat(shop.charging.await(90, TimeUnit.SECONDS)).isTrue();

        first.crash();
        cluster.clock().advance(Duration.ofSeconds(61));
        shop.mayCharge.countDown();
        cluster.node(shop);

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shop.effects.stream().filter("reserve book"::equals)).hasSize(1);
        assertThat(shop.effects.stream().filter("ship 7"::equals)).hasSize(1);
        assertThat(shop.effects).contains("charge 7 attempt 1").endsWith("ship 7");
    }

    @Test
    void aResultThatCannotBeStoredFailsTheStep() {
        cluster.node(shop);
        JobId run = workflows().start("nul", null);

        RunInfo info = ended(run);
        assertThat(info.status()).isEqualTo(RunStatus.FAILED);
        assertThat(info.error().orElseThrow()).contains("step 'nul' failed");
        assertThat(shop.effects).containsExactly("nul");
    }

    @Test
    void aStepThatIsStoredIsProgressAfterWhichCrashesCountFromZero() throws InterruptedException {
        shop.mayCharge = new CountDownLatch(1);
        cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));
        assertThat(shop.charging.await(90, TimeUnit.SECONDS)).isTrue();
        database.execute("UPDATE muster_jobs SET crashes = 4");

        shop.shipBlocks = new CountDownLatch(1);
        shop.mayCharge.countDown();

        await().atMost(SOON).until(() -> database.number("SELECT max(crashes) FROM muster_jobs") == 0);
        shop.shipBlocks.countDown();
        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    void aTransactionalStepWritesItsEffectWithItsResult() {
        database.execute("CREATE TABLE bookings (amount int)");
        cluster.node(shop);
        JobId run = workflows().start("book", 5);

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().steps(run)).extracting(StepInfo::status).containsExactly("completed");
        assertThat(database.column("SELECT amount FROM bookings")).containsExactly("5");
    }
}
