package dev.muster.migrating;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Stops a program at one of its steps, as if its process had been killed there: from then on no call gets through, and its open
 * transactions are rolled back. Steps are before and after each call that writes.
 */
public final class Kill {
    private static final Set<String> WRITES = Set.of(
            "execute",
            "executeQuery",
            "executeUpdate",
            "executeBatch",
            "commit",
            "enqueue",
            "enqueueAll",
            "pauseJob",
            "unscheduleJob");
    private static final List<Class<?>> WRAPPED = List.of(Connection.class, PreparedStatement.class, Statement.class);

    /** The process is dead. An error, so that nobody tries again. */
    public static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final List<Connection> open = new ArrayList<>();
    private int stepsLeft;
    private boolean dead;

    private Kill(int steps) {
        this.stepsLeft = steps;
    }

    public static Kill after(int steps) {
        return new Kill(steps);
    }

    /** Whether the program got to that step. */
    public boolean happened() {
        return dead;
    }

    /** An object that does what the given one does, as long as the process lives. */
    public <T> T around(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                Kill.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> call(real, method, args == null ? new Object[0] : args)));
    }

    private @Nullable Object call(Object real, Method method, Object... args) throws Throwable {
        if (dead) {
            if (method.getName().equals("close")) {
                return null;
            }
            throw new Killed();
        }
        boolean writes = WRITES.contains(method.getName());
        if (writes) {
            step();
        }
        Object result;
        try {
            result = method.invoke(real, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (writes) {
            step();
        }
        if (real instanceof DataSource && result instanceof Connection connection) {
            open.add(connection);
        }
        for (Class<?> type : WRAPPED) {
            if (method.getReturnType() == type && result != null) {
                return wrapped(type, result);
            }
        }
        return result;
    }

    private <T> T wrapped(Class<T> type, Object real) {
        return around(type, type.cast(real));
    }

    private void step() throws SQLException {
        if (stepsLeft-- > 0) {
            return;
        }
        dead = true;
        for (Connection connection : open) {
            if (!connection.isClosed()) {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
                connection.close();
            }
        }
        throw new Killed();
    }
}
