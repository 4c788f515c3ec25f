package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** How the code may use a context, and where it must not: a replay would count the calls in another way. */
class ContextUseIT extends ExchangedCode {

    @Test
    void theContextIsRefusedInsideAStepAndInsideABranchThatHasItsOwn() {
        RunInfo inStep = runOnce((self, wf) -> wf.step("outer", String.class)
                .retry(RetryPolicy.attempts(1))
                .run(step -> {
                    wf.uuid();
                    return "x";
                }));
        assertThat(inStep.status()).isEqualTo(RunStatus.FAILED);
        assertThat(inStep.error().orElseThrow()).contains("must not be used inside step 'outer'");

        workflow.code = (self, wf) -> wf.step("outer", String.class)
                .retry(RetryPolicy.attempts(1))
                .run(step -> {
                    throw wf.continueAsNew(null);
                });
        RunInfo continued = ended(workflows().start("changing", null));
        assertThat(continued.error().orElseThrow()).contains("must not be used inside step 'outer'");

        workflow.code = (self, wf) -> wf.parallel(List.of(branch -> wf.now()));
        RunInfo inBranch = ended(workflows().start("changing", null));
        assertThat(inBranch.error().orElseThrow()).contains("must not be used inside its parallel branches");
    }

    /** In a replay the outer step does not run, and would not ask for the inner one. */
    @Test
    void aStepThatWasPreparedBeforeIsRefusedInsideAnotherOne() {
        RunInfo info = runOnce((self, wf) -> {
            Step<String> inner = wf.step("inner", String.class);
            return wf.step("outer", String.class).retry(RetryPolicy.attempts(1)).run(step -> inner.run(inside -> "x"));
        });

        assertThat(info.error().orElseThrow()).contains("must not be used inside step 'outer'");
        assertThat(workflows().steps(info.id())).extracting(StepInfo::name).containsExactly("outer");
    }

    /** What a step or a branch draws, a replay would not draw, or in another order: all later numbers would be others. */
    @Test
    void numbersAreNotDrawnInsideAStepOrABranch() {
        RunInfo inStep = runOnce((self, wf) -> {
            RandomGenerator random = wf.random();
            return wf.step("draw", Integer.class).retry(RetryPolicy.attempts(1)).run(step -> random.nextInt(6));
        });
        assertThat(inStep.status()).isEqualTo(RunStatus.FAILED);
        assertThat(inStep.error().orElseThrow()).contains("must not be used inside step 'draw'");

        workflow.code = (self, wf) -> {
            RandomGenerator random = wf.random();
            return wf.parallel(List.of(branch -> random.nextDouble()));
        };
        RunInfo inBranch = ended(workflows().start("changing", null));
        assertThat(inBranch.status()).isEqualTo(RunStatus.FAILED);
        assertThat(inBranch.error().orElseThrow()).contains("must not be used inside its parallel branches");
    }

    /** A list whose item is not there before the test says so. */
    private static final class Slow extends AbstractList<String> {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch given = new CountDownLatch(1);

        @Override
        public String get(int index) {
            asked.countDown();
            try {
                given.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return "item";
        }

        @Override
        public int size() {
            return 1;
        }
    }

    /** The order of their calls would be another one in each replay. */
    @Test
    void twoThreadsMustNotUseAContextAtTheSameTime() {
        WorkflowType<List<String>, String> counting = new WorkflowType<>("counting", List.class, String.class);
        Slow slow = new Slow();
        List<String> refusals = new CopyOnWriteArrayList<>();
        workflow.code = (self, wf) -> {
            if (!refusals.isEmpty()) {
                return wf.child(counting, slow);
            }
            FutureTask<Object> child = new FutureTask<>(() -> wf.child(counting, slow));
            new Thread(child, "of the code").start();
            try {
                slow.asked.await();
                refusals.addAll(List.of(
                        refusal(wf::uuid),
                        refusal(() -> wf.step("beside", () -> self.effects.add("beside"))),
                        refusal(() -> wf.random().nextInt())));
                slow.given.countDown();
                return child.get();
            } catch (InterruptedException | ExecutionException e) {
                throw new IllegalStateException(e);
            }
        };
        cluster.node(workflow, new Counting());

        JobId run = workflows().start("changing", null);

        await().atMost(SOON).until(() -> !refusals.isEmpty());
        assertThat(refusals)
                .allSatisfy(refusal -> assertThat(refusal)
                        .contains("must not be used inside the child 'counting', nor by two threads at the same time"));
        assertThat(ended(run).result()).contains("\"many\"");
        assertThat(workflow.effects).isEmpty();
    }

    /** Both are the same wait to the run. */
    @Test
    void aWaitMayBecomeOneThatTellsEventsWithoutPayloads() {
        JobId run = changed(
                (self, wf) -> {
                    wf.awaitEvent("paid", String.class, Duration.ZERO);
                    wf.sleep(Duration.ofHours(1));
                    return "not reached";
                },
                (self, wf) -> {
                    boolean paid =
                            wf.receiveEvent("paid", String.class, Duration.ZERO).isPresent();
                    wf.sleep(Duration.ofHours(1));
                    return paid ? "paid" : "not paid";
                });

        assertThat(ended(run).result()).contains("\"not paid\"");
    }
}
