package dev.muster.gateway.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * Loses the answer to a commit: it is executed, and then its connection breaks. Only threads that handle requests are affected. Statements that look
 * up a key break nothing, because a request has one or not, depending on when the last one was.
 */
final class BreakingDataSource {
    private static final String THREADS = "muster-gateway";

    /** Is only in the statement that looks up a key. */
    private static final String KEY_LOOKUP = "SELECT k.id, k.hash";

    private final DataSource source;
    private int left;
    private boolean staysAway;
    private boolean acknowledges;
    private boolean broke;
    private boolean sawKeyLookup;

    BreakingDataSource(DataSource source) {
        this.source = source;
    }

    /**
     * @param commit which commit from now on, beginning with 1
     * @param forGood whether there are no connections afterwards
     */
    synchronized void breakAt(int commit, boolean forGood) {
        left = commit;
        staysAway = forGood;
        acknowledges = false;
        broke = false;
    }

    /** The same for good, but this commit is still acknowledged: what breaks is whatever comes after it. */
    synchronized void breakAfter(int commit) {
        breakAt(commit, true);
        acknowledges = true;
    }

    private synchronized boolean isAcknowledged() {
        return acknowledges;
    }

    /** From now on nothing breaks; returns whether something did. */
    synchronized boolean heal() {
        left = 0;
        staysAway = false;
        return broke;
    }

    private synchronized void noteKeyLookup(boolean looksUpKey) {
        sawKeyLookup |= looksUpKey;
    }

    /** Whether it knows the statement that looks up a key when it sees it. */
    synchronized boolean sawKeyLookup() {
        return sawKeyLookup;
    }

    private static boolean isAffected() {
        return Thread.currentThread().getName().startsWith(THREADS);
    }

    private synchronized boolean breaksNow() {
        boolean now = isAffected() && left > 0 && --left == 0;
        broke |= now;
        return now;
    }

    private synchronized void requireReachable() throws SQLException {
        if (staysAway && broke && isAffected()) {
            throw new SQLException("the test lets nobody connect", "08001");
        }
    }

    DataSource dataSource() {
        return proxy(DataSource.class, (self, method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
                return invoke(source, method, arguments);
            }
            requireReachable();
            return connection(source.getConnection());
        });
    }

    private Connection connection(Connection real) {
        AtomicBoolean dead = new AtomicBoolean();
        return proxy(Connection.class, (self, method, arguments) -> {
            String name = method.getName();
            if (dead.get() && !name.equals("close") && !name.equals("abort") && !name.equals("isClosed")) {
                throw new SQLException("the test has broken this connection", "08003");
            }
            Object result = invoke(real, method, arguments);
            if (name.equals("commit")) {
                breakIfDue(dead);
            }
            if (!(result instanceof PreparedStatement statement)) {
                return result;
            }
            boolean looksUpKey = String.valueOf(arguments[0]).contains(KEY_LOOKUP);
            noteKeyLookup(looksUpKey);
            return statement(statement, real, dead, looksUpKey);
        });
    }

    private PreparedStatement statement(
            PreparedStatement real, Connection connection, AtomicBoolean dead, boolean looksUpKey) {
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            Object result = invoke(real, method, arguments);
            if (method.getName().startsWith("execute") && connection.getAutoCommit() && !looksUpKey) {
                breakIfDue(dead);
            }
            return result;
        });
    }

    private void breakIfDue(AtomicBoolean dead) throws SQLException {
        if (breaksNow()) {
            dead.set(true);
            if (isAcknowledged()) {
                return;
            }
            throw new SQLException("the test has broken this connection after the commit", "08006");
        }
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(BreakingDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
