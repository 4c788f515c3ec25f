package dev.muster.internal.worker;

import dev.muster.config.ExecutorConfig.Kind;
import dev.muster.config.ExecutorsConfig;
import dev.muster.config.MusterConfig;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.runtime.Clock;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;

/** Executors to test with; their threads are not started. */
final class TestExecutors {
    private static final NodeExecutor IDLE =
            of("default", neverAsked(), new ClaimingState(Clock.system()), new Completer());

    private TestExecutors() {}

    /** An executor for claims whose executor does not matter. */
    static NodeExecutor idle() {
        return IDLE;
    }

    static ExecutorPlan plan(int size) {
        return plan(ExecutorsConfig.DEFAULT, size);
    }

    static ExecutorPlan plan(String name, int size) {
        return new ExecutorPlan(name, Kind.THREADS, size, Optional.empty(), Set.of("job"), Optional.empty());
    }

    /** An executor with sixteen threads. */
    static NodeExecutor of(String name, ClaimSession session, ClaimingState claimingState, Completer completer) {
        return new NodeExecutor(
                plan(name, 16),
                session,
                new NodeExecutor.Shared(
                        MusterConfig.defaults().worker(),
                        claimingState,
                        new SuspectTurn(),
                        completer,
                        new Nobody(),
                        () -> 0,
                        () -> true,
                        Clock.system()));
    }

    private static ClaimSession neverAsked() {
        return (ClaimSession) Proxy.newProxyInstance(
                TestExecutors.class.getClassLoader(), new Class<?>[] {ClaimSession.class}, (self, method, args) -> {
                    throw new AssertionError(method.getName() + " was called");
                });
    }

    private static final class Nobody implements JobRunner {
        @Override
        public void run(OpenClaim claim) {
            throw new AssertionError("nobody runs " + claim.ref());
        }

        @Override
        public void broken(OpenClaim claim, Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void notRun(OpenClaim claim, String why) {
            throw new AssertionError(why);
        }
    }
}
