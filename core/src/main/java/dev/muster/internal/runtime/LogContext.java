package dev.muster.internal.runtime;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * What log lines of the engine have in their MDC: {@value #NODE}, {@value #NODE_NAME} if the node has a name, and {@value #COMPONENT}, which
 * is the part of the engine that logs. A node starts its parts within {@link #run}; every thread that is started there, or by such a
 * thread, {@linkplain #inherit inherits} the node and keeps the keys for its whole life.
 */
public final class LogContext {
    public static final String NODE = "node";
    public static final String NODE_NAME = "node_name";
    public static final String COMPONENT = "component";

    /** The node that the current thread works for; null for threads of the application. */
    private static final ThreadLocal<@Nullable LogContext> CURRENT = new ThreadLocal<>();

    private final String node;
    private final @Nullable String name;

    private LogContext(String node, @Nullable String name) {
        this.node = node;
        this.name = name;
    }

    /** @param name {@code node.name}, if it is set */
    public static LogContext of(String node, @Nullable String name) {
        return new LogContext(node, name);
    }

    /** The node that the current thread works for; empty for threads of the application. */
    public static Optional<LogContext> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /** Runs an action of this node on the current thread, whose own MDC is as before afterwards. */
    public void run(String component, Runnable action) {
        LogContext before = CURRENT.get();
        String nodeBefore = MDC.get(NODE);
        String nameBefore = MDC.get(NODE_NAME);
        String componentBefore = MDC.get(COMPONENT);
        CURRENT.set(this);
        put(component);
        try {
            action.run();
        } finally {
            set(before);
            set(NODE, nodeBefore);
            set(NODE_NAME, nameBefore);
            set(COMPONENT, componentBefore);
        }
    }

    /** The code of a thread that the current thread is about to start: it works for the same node, if there is one. */
    public static Runnable inherit(String component, Runnable code) {
        LogContext context = CURRENT.get();
        return () -> {
            CURRENT.set(context);
            reset(component);
            try {
                code.run();
            } finally {
                CURRENT.remove();
                MDC.clear();
            }
        };
    }

    /** Leaves only the keys of the engine in the MDC of the current thread, after application code may have changed it. */
    public static void reset(String component) {
        MDC.clear();
        LogContext context = CURRENT.get();
        if (context != null) {
            context.put(component);
        } else {
            MDC.put(COMPONENT, component);
        }
    }

    private void put(String component) {
        MDC.put(NODE, node);
        set(NODE_NAME, name);
        MDC.put(COMPONENT, component);
    }

    private static void set(@Nullable LogContext context) {
        if (context == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(context);
        }
    }

    private static void set(String key, @Nullable String value) {
        if (value == null) {
            MDC.remove(key);
        } else {
            MDC.put(key, value);
        }
    }
}
