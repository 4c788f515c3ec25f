package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The pool has no connection for a call of a workflow's code. */
class RefusedConnectionIT extends EngineIT {
    private final AtomicReference<Thread> refused = new AtomicReference<>();

    private final AtomicReference<Thread> cutOff = new AtomicReference<>();

    /** A pool that refuses a thread once, or as long as it is cut off. */
    private DataSource refusing(DataSource pool) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("getConnection")
                            && (cutOff.get() == Thread.currentThread()
                                    || refused.compareAndSet(Thread.currentThread(), null))) {
                        throw new SQLException("no connection is free", "08001");
                    }
                    try {
                        return method.invoke(pool, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** A step that may be tried once. */
    public final class OneAttempt {
        private final AtomicInteger executions = new AtomicInteger();

        @Workflow(name = "one_attempt", version = "v1")
        String run(WorkflowContext wf) {
            if (executions.incrementAndGet() == 1) {
                refused.set(Thread.currentThread());
            }
            return wf.step("only", String.class).retry(RetryPolicy.attempts(1)).runIn(connection -> "done");
        }
    }

    @Test
    void isNoAttemptOfTheStep() {
        OneAttempt workflow = new OneAttempt();
        Muster node = start(builder(Map.of(), workflow).dataSource(refusing(database.dataSource())));
        JobId run = node.workflows().start("one_attempt", null);

        RunInfo info = node.workflows().await(run, Duration.ofSeconds(90));

        assertThat(info.status()).as(info.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflow.executions).hasValue(2);
        assertThat(node.workflows().steps(run)).extracting(StepInfo::attempt).containsExactly(1);
    }

    private final Order order = new Order();
    private final AtomicBoolean outage = new AtomicBoolean(true);

    /** The first time, there is no connection for this thread until it has left the call. */
    private <T> T duringTheOutage(Callable<T> call) throws Exception {
        if (!outage.getAndSet(false)) {
            return call.call();
        }
        cutOff.set(Thread.currentThread());
        try {
            return call.call();
        } finally {
            cutOff.set(null);
        }
    }

    private void completesWith(Function<WorkflowContext, Object> code) {
        order.code = code;
        Muster node = start(builder(Map.of(), order).dataSource(refusing(database.dataSource())));
        JobId run = node.workflows().start("order", null);
        node.workflows().signal(run, "checked", "yes");

        RunInfo end = node.workflows().await(run, Duration.ofSeconds(90));

        assertThat(outage).isFalse();
        assertThat(end.status()).as(end.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(order.effects).containsOnlyOnce("charge").doesNotContain("refund");
    }

    private String ship(WorkflowContext wf) {
        return wf.step("ship", String.class).retry(RetryPolicy.attempts(1)).run(step -> {
            order.effects.add("ship");
            return "shipped";
        });
    }

    /** The step happens again, because its result could not be stored. */
    @ParameterizedTest
    @EnumSource
    void isNoFailureOfTheRunWhateverItsCodeMakesOfIt(Handling handling) {
        completesWith(wf -> handling.handled(() -> duringTheOutage(() -> ship(wf))));

        assertThat(order.effects).containsExactly("charge", "ship", "ship");
    }

    @ParameterizedTest
    @EnumSource(names = {"STEP", "STEP_IN", "CHILD", "SLEEP", "NOW", "AWAIT_EVENT"})
    void isRememberedWhicheverCallItWas(ContextCall call) {
        completesWith(wf -> Handling.WRAPS.handled(() -> duringTheOutage(() -> {
            call.on(wf, order.effects);
            return "done";
        })));
    }

    @Test
    void isRememberedWhereTheFailureOfAStepCannotBeStored() {
        AtomicBoolean fails = new AtomicBoolean(true);
        completesWith(wf -> Handling.WRAPS.handled(() -> duringTheOutage(() -> wf.step("ship")
                .retry(RetryPolicy.attempts(1))
                .run(step -> {
                    order.effects.add("ship");
                    if (fails.getAndSet(false)) {
                        throw new IllegalStateException("the first time");
                    }
                    return null;
                }))));

        assertThat(order.effects).containsExactly("charge", "ship", "ship");
    }
}
