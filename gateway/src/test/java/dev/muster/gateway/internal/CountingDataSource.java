package dev.muster.gateway.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** Remembers the statements that are sent through its connections. */
final class CountingDataSource {
    /** A statement, and the name of the thread that sent it. */
    record Sent(String text, String thread) {}

    private final List<Sent> statements = new CopyOnWriteArrayList<>();
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
                        statements.add(new Sent(
                                String.valueOf(arguments[0]),
                                Thread.currentThread().getName()));
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

    /** The statements with this text in them. */
    List<Sent> with(String text) {
        return statements.stream().filter(one -> one.text().contains(text)).toList();
    }

    /** How many statements threads have sent whose names begin like this. */
    long ofThreads(String prefix) {
        return statements.stream()
                .filter(one -> one.thread().startsWith(prefix))
                .count();
    }

    /** How many statements this thread has sent. */
    long of(String thread) {
        return statements.stream().filter(one -> one.thread().equals(thread)).count();
    }
}
