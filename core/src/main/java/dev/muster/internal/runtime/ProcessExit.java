package dev.muster.internal.runtime;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** Whether this JVM is shutting down, and which thread called {@link System#exit}. */
public final class ProcessExit {
    private ProcessExit() {}

    /**
     * The thread whose call of {@link System#exit} or {@link Runtime#exit} is shutting this JVM down; the thread stays inside
     * that call until all shutdown hooks have ended. Empty if the JVM is not shutting down, or if a signal or the end of the last
     * thread began the shutdown. A thread that calls {@code exit} later, during a shutdown, is not returned.
     */
    public static Optional<Thread> caller() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> isIn(thread.getValue(), "java.lang.Runtime", "exit")
                        && isIn(thread.getValue(), "java.lang.Shutdown", "runHooks"))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Whether this JVM is shutting down, for whatever reason. */
    public static boolean isUnderWay() {
        Thread hook = new Thread(() -> {});
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            Runtime.getRuntime().removeShutdownHook(hook);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static boolean isIn(StackTraceElement[] stack, String type, String method) {
        return Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().equals(type)
                        && frame.getMethodName().equals(method));
    }
}
