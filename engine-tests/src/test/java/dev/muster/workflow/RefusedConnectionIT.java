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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The pool has no connection for a step that runs in a transaction. */
class RefusedConnectionIT extends EngineIT {
    private final AtomicReference<Thread> refused = new AtomicReference<>();

    /** A pool that refuses a thread once. */
    private DataSource refusing(DataSource pool) {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("getConnection")
                            && refused.compareAndSet(Thread.currentThread(), null)) {
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
}
