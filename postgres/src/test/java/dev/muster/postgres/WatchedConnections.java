package dev.muster.postgres;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Real connections, with a say before every call to one of them. */
public final class WatchedConnections {
    private WatchedConnections() {}

    /** Told of every call to a connection before it is made; what it throws, the caller gets instead. */
    @FunctionalInterface
    public interface Before {
        /** @param text the first argument, such as the SQL of a statement; empty if there is none */
        void call(Connection connection, String method, String text) throws Throwable;
    }

    public static DataSource of(DataSource real, Before before) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            Object result = invoke(real, method, arguments);
            return result instanceof Connection connection ? watched(connection, before) : result;
        });
    }

    /** Where the connections come from. */
    @FunctionalInterface
    public interface Source {
        Connection connection() throws SQLException;
    }

    public static DataSource source(Source source) {
        return proxy(DataSource.class, (self, method, arguments) -> source.connection());
    }

    private static Connection watched(Connection connection, Before before) {
        return proxy(Connection.class, (self, method, arguments) -> {
            before.call(
                    connection,
                    method.getName(),
                    arguments == null || arguments.length == 0 ? "" : String.valueOf(arguments[0]));
            return invoke(connection, method, arguments);
        });
    }

    public static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(WatchedConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    public static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
