package dev.muster.gateway;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** Remembers the statements that are sent through its connections. */
final class CountingDataSource {
    private final List<String> statements = new CopyOnWriteArrayList<>();
    private final DataSource source;

    CountingDataSource(DataSource source) {
        this.source = source;
    }

    DataSource dataSource() {
        return wrapped(DataSource.class, source);
    }

    private <T> T wrapped(Class<T> type, T real) {
        return type.cast(Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().startsWith("prepare") && arguments != null) {
                        statements.add(String.valueOf(arguments[0]));
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof Connection connection
                                        && !method.getName().equals("unwrap")
                                ? wrapped(Connection.class, connection)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    void forget() {
        statements.clear();
    }

    /** How many statements had this text in them. */
    long with(String text) {
        return statements.stream().filter(one -> one.contains(text)).count();
    }
}
