package dev.muster.runtime;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** Who called {@link System#exit}. */
public final class ProcessExit {
    private ProcessExit() {}

    /**
     * The thread whose call of {@link System#exit} or {@link Runtime#exit} is shutting this JVM down: it stays inside that
     * call until all shutdown hooks have ended. Empty if the JVM is not shutting down, or if a signal began it, or the end
     * of the last thread. A thread that calls {@code exit} after the shutdown has begun did not begin it.
     */
    public static Optional<Thread> caller() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> isIn(thread.getValue(), "java.lang.Runtime", "exit")
                        && isIn(thread.getValue(), "java.lang.Shutdown", "runHooks"))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static boolean isIn(StackTraceElement[] stack, String type, String method) {
        return Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().equals(type)
                        && frame.getMethodName().equals(method));
    }
}
