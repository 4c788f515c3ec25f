package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.engine.EngineIT;
import dev.muster.job.JobId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The database is away during a call of the code, and the code wraps what is thrown then, or swallows it. */
class LostCallsIT extends EngineIT {

    /** Who gets no connection. */
    private final AtomicReference<Thread> refused = new AtomicReference<>();

    private DataSource refusing(DataSource pool) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("getConnection") && refused.get() == Thread.currentThread()) {
                        throw new SQLException("no connection is free", "08001");
                    }
                    try {
                        return method.invoke(pool, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Calls that need the database. */
    enum Call {
        NOW(WorkflowContext::now),
        SLEEP(wf -> {
            wf.sleep(Duration.ZERO);
            return null;
        }),
        EVENT(wf -> wf.awaitEvent("never", String.class, Duration.ZERO)),
        CHILD(wf -> wf.child(WorkflowType.of("nothing", Void.class, Void.class), null)),
        FAILING_STEP(wf -> wf.step("fails").optional().run(step -> {
            throw new IllegalStateException("no stock");
        })),
        /** The last branch runs on the thread of the run. */
        IN_A_BRANCH(wf -> wf.parallel(List.of(branch -> "beside", WorkflowContext::now)));

        private final Function<WorkflowContext, Object> code;

        Call(Function<WorkflowContext, Object> code) {
            this.code = code;
        }
    }

    /** Its first execution has no connection during one call. */
    public final class Order {
        final List<String> effects = new CopyOnWriteArrayList<>();
        private final Call call;
        private final boolean swallows;

        Order(Call call, boolean swallows) {
            this.call = call;
            this.swallows = swallows;
        }

        @Workflow(name = "lost_call", version = "v1")
        String run(WorkflowContext wf) {
            wf.step("charge", String.class).compensateWith("refund_lost", null).run(step -> {
                effects.add("charge");
                return "charged";
            });
            boolean first = !effects.contains("called");
            effects.add("called");
            try {
                if (first) {
                    refused.set(Thread.currentThread());
                }
                call.code.apply(wf);
            } catch (Throwable e) {
                if (!swallows) {
                    throw new IllegalStateException("wrapped", e);
                }
            } finally {
                refused.set(null);
            }
            return "done";
        }

        @Workflow(name = "nothing", version = "v1")
        void nothing(WorkflowContext wf) {}

        @Compensation("refund_lost")
        void refund() {
            effects.add("refund");
        }
    }

    private void goesOn(Call call, boolean swallows) {
        Order order = new Order(call, swallows);
        Muster node = start(builder(Map.of(), order).dataSource(refusing(database.dataSource())));
        JobId run = node.workflows().start("lost_call", null);

        RunInfo end = node.workflows().await(run, Duration.ofSeconds(90));

        assertThat(end.status()).as(end.toString()).isEqualTo(RunStatus.COMPLETED);
        // A sleep may end in one more execution.
        assertThat(order.effects)
                .startsWith("charge", "called", "called")
                .containsOnlyOnce("charge")
                .doesNotContain("refund");
    }

    @ParameterizedTest
    @EnumSource
    void isNoFailureIfItIsWrapped(Call call) {
        goesOn(call, false);
    }

    @ParameterizedTest
    @EnumSource
    void isNoEndIfItIsSwallowed(Call call) {
        goesOn(call, true);
    }
}
