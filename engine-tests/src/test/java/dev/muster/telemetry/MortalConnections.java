package dev.muster.telemetry;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.runtime.Clock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import javax.sql.DataSource;

/**
 * The connections and the clock of a node that can be frozen or killed. A killed node can write nothing more, which for the other nodes
 * is the same as its death. But it gets the acknowledgement of every commit that took place, and it may still read: so it reports
 * everything that it has written, and a test can compare its events with the database exactly.
 */
final class MortalConnections implements AutoCloseable {
    private final ReadWriteLock writing = new ReentrantReadWriteLock();
    private final HikariDataSource pool;
    private boolean frozen;
    private volatile boolean dead;

    MortalConnections(String url, String node) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setPoolName(node);
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(2_000);
        this.pool = new HikariDataSource(config);
    }

    DataSource dataSource() {
        return proxy(
                DataSource.class,
                (proxy, method, args) ->
                        method.getName().equals("getConnection") ? connection() : invoke(pool, method, args));
    }

    Clock clock() {
        return () -> {
            awaitThaw();
            return System.nanoTime();
        };
    }

    synchronized void freeze() {
        frozen = true;
    }

    synchronized void thaw() {
        frozen = false;
        notifyAll();
    }

    /** Waits for commits that are under way; after that no write of this node is committed. */
    void kill() {
        writing.writeLock().lock();
        dead = true;
        writing.writeLock().unlock();
        thaw();
    }

    private synchronized void awaitThaw() {
        boolean interrupted = false;
        while (frozen) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Connection connection() throws SQLException {
        awaitThaw();
        Connection real = pool.getConnection();
        return proxy(Connection.class, (proxy, method, args) -> switch (method.getName()) {
            case "equals" -> proxy == args[0];
            case "commit" -> {
                commit(real);
                yield null;
            }
            case "createStatement" -> statement(Statement.class, real, method, args);
            case "prepareStatement" -> statement(PreparedStatement.class, real, method, args);
            default -> invoke(real, method, args);
        });
    }

    private void commit(Connection real) throws SQLException {
        awaitThaw();
        writing.readLock().lock();
        try {
            if (dead && hasWritten(real)) {
                real.rollback();
                throw new SQLException("the test has killed this node", "08006");
            }
            real.commit();
        } finally {
            writing.readLock().unlock();
        }
    }

    private static boolean hasWritten(Connection real) throws SQLException {
        try (Statement statement = real.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")) {
            rows.next();
            return rows.getBoolean(1);
        }
    }

    private <S extends Statement> S statement(Class<S> type, Connection real, Method prepare, Object[] args)
            throws Throwable {
        Object target = invoke(real, prepare, args);
        return proxy(type, (proxy, method, with) -> {
            if (method.getName().equals("equals")) {
                return proxy == with[0];
            }
            return method.getName().startsWith("execute")
                    ? execute(real, target, method, with)
                    : invoke(target, method, with);
        });
    }

    private Object execute(Connection real, Object statement, Method method, Object[] args) throws Throwable {
        awaitThaw();
        if (!real.getAutoCommit()) {
            return invoke(statement, method, args);
        }
        writing.readLock().lock();
        try {
            if (dead) {
                try (Statement readOnly = real.createStatement()) {
                    readOnly.execute("SET default_transaction_read_only = on");
                }
            }
            return invoke(statement, method, args);
        } finally {
            writing.readLock().unlock();
        }
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(MortalConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public void close() {
        pool.close();
    }
}
