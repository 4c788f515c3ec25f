package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A run that waits is left by an Error through the user's code. Whatever that code makes of it, the run waits and nothing is undone. */
class LeavingCodeIT extends WorkflowCluster {

    /** What code may do with a Throwable that comes out of a call. */
    enum Handling {
        WRAPS {
            @Override
            <T> T around(Callable<T> call) {
                try {
                    return call.call();
                } catch (Throwable e) {
                    throw new IllegalStateException("wrapped", e);
                }
            }
        },
        SWALLOWS {
            @Override
            <T> T around(Callable<T> call) {
                try {
                    return call.call();
                } catch (Throwable e) {
                    return null;
                }
            }
        },
        REPLACES_IN_FINALLY {
            @Override
            @SuppressWarnings("finally")
            <T> T around(Callable<T> call) throws Exception {
                T value = null;
                try {
                    value = call.call();
                    return value;
                } finally {
                    if (value == null) {
                        throw new NullPointerException("what the wait was to return is not there");
                    }
                }
            }
        },
        CALLS_BY_REFLECTION {
            @Override
            <T> T around(Callable<T> call) {
                try {
                    Method method = Callable.class.getMethod("call");
                    @SuppressWarnings("unchecked")
                    T value = (T) method.invoke(call);
                    return value;
                } catch (InvocationTargetException e) {
                    throw new IllegalStateException(e.getCause());
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            }
        },
        WAITS_FOR_A_FUTURE {
            @Override
            <T> T around(Callable<T> call) {
                return CompletableFuture.supplyAsync(() -> {
                            try {
                                return call.call();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        })
                        .join();
            }
        },
        RETRIES {
            @Override
            <T> T around(Callable<T> call) {
                for (int attempt = 1; ; attempt++) {
                    try {
                        return call.call();
                    } catch (Throwable e) {
                        if (attempt == 3) {
                            throw new IllegalStateException("three times", e);
                        }
                    }
                }
            }
        };

        abstract <T> T around(Callable<T> call) throws Exception;
    }

    /** A workflow whose code each test brings along. */
    public static final class Order {
        final List<String> effects = new CopyOnWriteArrayList<>();
        volatile Function<WorkflowContext, Object> code = wf -> null;

        @Workflow(name = "order", version = "v1")
        Object order(WorkflowContext wf) {
            wf.step("charge", String.class).compensateWith("refund", null).run(step -> {
                effects.add("charge");
                return "charged";
            });
            return code.apply(wf);
        }

        @Compensation("refund")
        void refund() {
            effects.add("refund");
        }
    }

    private final Order order = new Order();

    private JobId started(Function<WorkflowContext, Object> code) {
        order.code = code;
        cluster.node(order);
        return workflows().start("order", null);
    }

    private static <T> T handled(Handling handling, Callable<T> call) {
        try {
            return handling.around(call);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
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
        JobId run = started(wf -> handled(handling, () -> wf.awaitEvent("paid", String.class)));
        awaitStatus(run, RunStatus.WAITING);

        workflows().signal(run, "paid", "yes");

        goesOnWith(run, "yes");
    }

    @ParameterizedTest
    @EnumSource
    void aSleepIsSleptInABranch(Handling handling) {
        JobId run = started(wf -> wf.parallel(List.of(
                        branch -> handled(handling, () -> {
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
    void aCancellationIsOne(Handling handling) {
        JobId run = started(wf -> handled(handling, () -> wf.awaitEvent("paid", String.class)));
        awaitStatus(run, RunStatus.WAITING);

        workflows().cancel(run, "no longer wanted");

        assertThat(ended(run).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(order.effects).containsExactly("charge", "refund");
    }

    /** After a wait that the code swallowed, no further step begins before the wait is over. */
    @Test
    void nothingBeginsBehindAWaitThatWasSwallowed() {
        JobId run = started(wf -> {
            handled(Handling.SWALLOWS, () -> wf.awaitEvent("paid", String.class));
            wf.step("ship", () -> order.effects.add("ship"));
            return "shipped";
        });
        awaitStatus(run, RunStatus.WAITING);
        assertThat(order.effects).containsExactly("charge");

        workflows().signal(run, "paid", "yes");

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(order.effects).containsExactly("charge", "ship");
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

    /** Code that swallows it, too, has decided to go on. */
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
            return handled(handling, () -> {
                throw wf.continueAsNew(null);
            });
        });

        RunInfo last = ended(run);

        assertThat(last.id()).isNotEqualTo(run);
        assertThat(last.result()).contains("\"second\"");
        assertThat(order.effects).containsExactly("charge", "charge");
    }
}
