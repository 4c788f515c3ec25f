package dev.muster.internal.function;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Savepoint;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a call as its handler sees it: the handler can neither end the transaction nor change what kind it is, and cannot use
 * the connection after the call, or after the call's time is over. Against mistakes only: {@code unwrap} returns what the driver has.
 */
final class GuardedConnection implements InvocationHandler {
    private static final Set<String> REFUSED = Set.of(
            "commit", "setAutoCommit", "abort", "setReadOnly", "setTransactionIsolation", "beginRequest", "endRequest");

    private final Connection connection;
    private final String function;
    private final BooleanSupplier cancelled;
    private volatile boolean ended;

    /** @param cancelled whether the time of the call is over */
    GuardedConnection(Connection connection, String function, BooleanSupplier cancelled) {
        this.connection = connection;
        this.function = function;
        this.cancelled = cancelled;
    }

    Connection asConnection() {
        return (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    /** The call has ended: from now on the connection belongs to others. */
    void end() {
        ended = true;
    }

    @Override
    public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(self, name, arguments);
        }
        if (name.equals("close")) {
            return null;
        }
        if (name.equals("isClosed") && ended) {
            return true;
        }
        if (ended) {
            throw new SQLException("the call of '" + function + "' has ended, and its connection with it");
        }
        if (cancelled.getAsBoolean()) {
            // The driver does not react to interrupts, so a loop of statements would never notice.
            throw new SQLTimeoutException("the time of the call of '" + function + "' is over");
        }
        if (REFUSED.contains(name) || name.equals("rollback") && !isToSavepoint(arguments)) {
            throw new SQLException(name + "() is not for functions: Muster commits the transaction of '" + function
                    + "' when it returns, and rolls it back when it throws");
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static boolean isToSavepoint(Object @Nullable [] arguments) {
        return arguments != null && arguments.length == 1 && arguments[0] instanceof Savepoint;
    }

    private Object ofObject(Object self, String name, Object @Nullable [] arguments) {
        return switch (name) {
            case "equals" -> arguments != null && self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> "connection of '" + function + "'";
        };
    }
}
