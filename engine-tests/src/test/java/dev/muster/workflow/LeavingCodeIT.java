package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.muster.job.JobId;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Sizes;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A run that waits, is cancelled, paused or blocked is left by an Error through the user's code. Whatever that code makes of it, the run
 * does what the Error stands for.
 */
class LeavingCodeIT extends WorkflowCluster {

    private final Order order = new Order();

    private JobId started(Function<WorkflowContext, Object> code) {
        order.code = code;
        cluster.node(order);
        return workflows().start("order", null);
    }

    /** What becomes of a wait is seen with every one of them. */
    static Stream<Handling> handlings() {
        return Sizes.full()
                ? Stream.of(Handling.values())
                : Stream.of(Handling.WRAPS, Handling.SWALLOWS, Handling.REPLACES_IN_FINALLY);
    }

    /** All of them are seen outside of branches. */
    static Stream<ContextCall> calls() {
        return Sizes.full()
                ? Stream.of(ContextCall.values())
                : Stream.of(ContextCall.STEP, ContextCall.PARALLEL, ContextCall.RANDOM);
    }

    private void goesOnWith(JobId run, String result) {
        RunInfo end = ended(run);
        assertThat(end.status()).as(end.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(end.result()).contains("\"" + result + "\"");
        assertThat(order.effects).containsExactly("charge");
    }

    @ParameterizedTest
    @EnumSource
    void aWaitForAnEventIsWaitedFor(Handling handling) {
        JobId run = started(wf -> handling.handled(() -> wf.awaitEvent("paid", String.class)));
        awaitStatus(run, RunStatus.WAITING);

        workflows().signal(run, "paid", "yes");

        goesOnWith(run, "yes");
    }

    @ParameterizedTest
    @EnumSource
    void aSleepIsSleptInABranch(Handling handling) {
        JobId run = started(wf -> wf.parallel(List.of(
                        branch -> handling.handled(() -> {
                            branch.sleep(Duration.ofHours(1));
                            return "slept";
                        }),
                        branch -> "beside"))
                .get(0));
        awaitStatus(run, RunStatus.SLEEPING);

        cluster.clock().advance(Duration.ofHours(1));

        goesOnWith(run, "slept");
    }

    @ParameterizedTest
    @EnumSource
    void nothingBeginsBehindAWaitThatWasSwallowed(ContextCall call) {
        beginsNothingBehindItsWait(call, code -> code);
    }

    @ParameterizedTest
    @MethodSource("calls")
    void nothingBeginsBehindAWaitThatABranchSwallowed(ContextCall call) {
        Function<WorkflowContext, Object> beside =
                branch -> branch.step("beside").run(step -> {
                    order.effects.add("beside");
                    return null;
                });
        beginsNothingBehindItsWait(
                call, code -> wf -> wf.parallel(List.of(code, beside)).get(0));
        assertThat(order.effects).containsOnlyOnce("beside");
    }

    private void beginsNothingBehindItsWait(ContextCall call, UnaryOperator<Function<WorkflowContext, Object>> place) {
        JobId run = started(place.apply(wf -> {
            Handling.SWALLOWS.handled(() -> wf.awaitEvent("paid", String.class));
            call.on(wf, order.effects);
            order.effects.add("behind");
            return "done";
        }));
        awaitStatus(run, RunStatus.WAITING);
        assertThat(order.effects).isSubsetOf("charge", "beside");
        assertThat(workflows().steps(run)).extracting(StepInfo::name).isSubsetOf("charge", "beside", "paid");

        workflows().signal(run, "checked", "yes");
        workflows().signal(run, "paid", "yes");

        assertThat(ended(run).result()).contains("\"done\"");
        assertThat(order.effects).containsOnlyOnce("charge", "behind").doesNotContain("refund");
    }

    /** What a context is asked for then, nobody waits for, and nobody would store in which order it came. */
    @Test
    void aContextIsRefusedWhenItsCodeHasEnded() {
        AtomicReference<WorkflowContext> ofRun = new AtomicReference<>();
        AtomicReference<WorkflowContext> ofBranch = new AtomicReference<>();
        AtomicReference<Step<Void>> planned = new AtomicReference<>();
        List<String> refusals = new CopyOnWriteArrayList<>();
        JobId run = started(wf -> {
            ofRun.set(wf);
            wf.parallel(List.of(branch -> {
                ofBranch.set(branch);
                planned.set(branch.step("ship"));
                return null;
            }));
            refusals.add(refusal(() -> ofBranch.get().uuid()));
            refusals.add(refusal(() -> planned.get().run(step -> {
                order.effects.add("ship");
                return null;
            })));
            return "done";
        });
        assertThat(ended(run).result()).contains("\"done\"");

        refusals.add(refusal(() -> ofRun.get().step("ship", () -> order.effects.add("ship"))));

        assertThat(refusals).hasSize(3).allMatch(text -> text.contains("must not be used when its code has ended"));
        assertThat(order.effects).containsExactly("charge");
    }

    private static String refusal(Runnable call) {
        MusterException refused = catchThrowableOfType(MusterException.class, call::run);
        return refused == null ? "none" : String.valueOf(refused.getMessage());
    }

    private final CountDownLatch inReserve = new CountDownLatch(1);
    private final CountDownLatch mayGoOn = new CountDownLatch(1);

    /** A run that is in its second step; what is to be found out after that comes out of a third one. */
    private JobId inItsSecondStep(Handling handling) throws InterruptedException {
        JobId run = started(wf -> {
            wf.step("reserve", () -> {
                inReserve.countDown();
                mayGoOn.await();
            });
            return handling.handled(() -> wf.step("ship", String.class).run(step -> {
                order.effects.add("ship");
                return "shipped";
            }));
        });
        assertThat(inReserve.await(90, TimeUnit.SECONDS)).isTrue();
        return run;
    }

    @ParameterizedTest
    @MethodSource("handlings")
    void aCancellationBetweenTwoStepsIsOne(Handling handling) throws InterruptedException {
        JobId run = inItsSecondStep(handling);

        workflows().cancel(run, "no longer wanted");
        mayGoOn.countDown();

        RunInfo end = ended(run);
        assertThat(end.status()).as(end.toString()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(order.effects).containsExactly("charge", "refund");
    }

    @ParameterizedTest
    @MethodSource("handlings")
    void aPauseBetweenTwoStepsIsOne(Handling handling) throws InterruptedException {
        JobId run = inItsSecondStep(handling);

        workflows().pause("order");
        mayGoOn.countDown();

        awaitStatus(run, RunStatus.WAITING);
        assertThat(found(run).reason()).contains("the workflow is paused");
        assertThat(order.effects).containsExactly("charge");
        workflows().resume("order");
        assertThat(ended(run).result()).contains("\"shipped\"");
        assertThat(order.effects).containsExactly("charge", "ship");
    }

    @ParameterizedTest
    @MethodSource("handlings")
    void codeThatDoesNotFitItsStepsIsNoFailure(Handling handling) {
        Function<WorkflowContext, Object> right = sleepingAfter("reserve", handling);
        JobId run = started(right);
        awaitStatus(run, RunStatus.SLEEPING);
        order.code = sleepingAfter("book", handling);
        cluster.clock().advance(Duration.ofHours(1));
        awaitStatus(run, RunStatus.BLOCKED_SIGNATURE_MISMATCH);
        assertThat(found(run).reason().orElseThrow()).contains("step 1 was 'reserve', the code asks for 'book'");
        assertThat(order.effects).containsExactly("charge", "reserve");

        order.code = right;
        cluster.clock().advance(Duration.ofMinutes(1));

        assertThat(ended(run).result()).contains("\"slept\"");
        assertThat(order.effects).containsExactly("charge", "reserve");
    }

    private Function<WorkflowContext, Object> sleepingAfter(String step, Handling handling) {
        return wf -> {
            handling.handled(() -> wf.step(step, String.class).run(context -> {
                order.effects.add(step);
                return "done";
            }));
            wf.sleep(Duration.ofHours(1));
            return "slept";
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFailureOfABranchCountsAlsoIfAnotherOneContinues(boolean failureFirst) {
        Function<WorkflowContext, Object> fails = branch -> {
            throw new IllegalStateException("no stock");
        };
        Function<WorkflowContext, Object> continues = branch -> {
            throw branch.continueAsNew(null);
        };
        JobId run = started(wf -> wf.parallel(failureFirst ? List.of(fails, continues) : List.of(continues, fails)));

        RunInfo end = ended(run);

        assertThat(end.id()).isEqualTo(run);
        assertThat(end.error().orElseThrow()).contains("no stock");
        assertThat(order.effects).containsExactly("charge", "refund");
    }

    /** Code that swallows it, too, has decided to continue. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SWALLOWS", "REPLACES_IN_FINALLY"})
    void aContinuationIsNoFailure(Handling handling) {
        AtomicReference<JobId> first = new AtomicReference<>();
        JobId run = started(wf -> {
            first.compareAndSet(null, wf.runId());
            if (!wf.runId().equals(first.get())) {
                return "second";
            }
            return handling.handled(() -> {
                throw wf.continueAsNew(null);
            });
        });

        RunInfo last = ended(run);

        assertThat(last.id()).isNotEqualTo(run);
        assertThat(last.result()).contains("\"second\"");
        assertThat(order.effects).containsExactly("charge", "charge");
    }
}
