package dev.muster.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The connections of one node: a pool over connections that fail according to the node's {@link Faults}. Faults occur below the
 * pool, so the pool sees them like a broken network.
 */
final class FaultyConnections implements AutoCloseable {
    /** Statements whose own transaction counts as a commit; heartbeats and the like do not. */
    private static final Pattern WRITES_JOBS =
            Pattern.compile("(INSERT INTO|UPDATE|DELETE FROM) \\S*\\.?muster_jobs\\b");

    private final Faults faults;
    private final PGSimpleDataSource server = new PGSimpleDataSource();
    private final HikariDataSource pool;
    private final DataSource dataSource;

    FaultyConnections(String url, String node, Faults faults) {
        this.faults = faults;
        server.setUrl(url);
        server.setApplicationName(node);
        HikariConfig config = new HikariConfig();
        config.setDataSource(withConnections(server, this::connect));
        config.setPoolName(node);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(10_000);
        config.setValidationTimeout(500);
        config.setInitializationFailTimeout(-1);
        this.pool = new HikariDataSource(config);
        this.dataSource = withConnections(pool, () -> {
            faults.passToDatabase();
            return pool.getConnection();
        });
    }

    DataSource dataSource() {
        return dataSource;
    }

    @Override
    public void close() {
        pool.close();
    }

    @FunctionalInterface
    private interface Connector {
        Connection connect() throws SQLException;
    }

    private static DataSource withConnections(DataSource target, Connector connector) {
        return proxy(
                DataSource.class,
                (proxy, method, args) ->
                        method.getName().equals("getConnection") ? connector.connect() : invoke(target, method, args));
    }

    private Connection connect() throws SQLException {
        faults.passToDatabase();
        Connection real = server.getConnection();
        faults.opened(real);
        return proxy(Connection.class, (proxy, method, args) -> switch (method.getName()) {
            case "equals" -> proxy == args[0];
            case "hashCode", "toString", "isClosed", "isWrapperFor" -> invoke(real, method, args);
            case "close", "abort" -> {
                faults.closed(real);
                yield invoke(real, method, args);
            }
            case "commit" -> {
                commit(real);
                yield null;
            }
            case "createStatement" -> statement(Statement.class, real, method, args);
            case "prepareStatement" -> statement(PreparedStatement.class, real, method, args);
            case "prepareCall" -> statement(CallableStatement.class, real, method, args);
            default -> gated(real, method, args);
        });
    }

    private void commit(Connection real) throws SQLException {
        faults.passToDatabase();
        boolean drop = faults.mayDropAcknowledgement() && hasWritten(real) && faults.dropsAcknowledgement();
        real.commit();
        if (drop) {
            breakAfterCommit(real);
        }
    }

    private void breakAfterCommit(Connection real) throws SQLException {
        faults.abort(real);
        throw new SQLException("the connection broke after COMMIT was sent", Faults.BROKEN);
    }

    private static boolean hasWritten(Connection real) throws SQLException {
        try (Statement statement = real.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pg_current_xact_id_if_assigned() IS NOT NULL")) {
            rows.next();
            return rows.getBoolean(1);
        }
    }

    private <S extends Statement> S statement(Class<S> type, Connection connection, Method prepare, Object[] args)
            throws Throwable {
        Object real = gated(connection, prepare, args);
        boolean aboutJobs = args != null
                && args.length > 0
                && WRITES_JOBS.matcher(String.valueOf(args[0])).find();
        return proxy(type, (proxy, method, with) -> switch (method.getName()) {
            case "equals" -> proxy == with[0];
            case "execute",
                    "executeQuery",
                    "executeUpdate",
                    "executeLargeUpdate",
                    "executeBatch",
                    "executeLargeBatch" -> {
                Object result = gated(real, method, with);
                if (aboutJobs && connection.getAutoCommit() && faults.dropsAcknowledgement()) {
                    breakAfterCommit(connection);
                }
                yield result;
            }
            default -> invoke(real, method, with);
        });
    }

    private Object gated(Object target, Method method, Object[] args) throws Throwable {
        faults.passToDatabase();
        return invoke(target, method, args);
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
                Proxy.newProxyInstance(FaultyConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
