package dev.muster.postgres.internal.db;

import dev.muster.internal.runtime.LogContext;
import dev.muster.internal.runtime.Loop;
import dev.muster.internal.runtime.SentCommits;
import dev.muster.postgres.internal.db.StatementQueue.Task;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.runtime.WaitInterrupted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection outside the job pool. It listens for notifications and sends the small statements that keep a node alive,
 * so that an exhausted pool cannot make a healthy node look dead. Only one thread uses it; it reconnects by itself for as long
 * as it takes.
 */
public final class ControlConnection implements Database.WritableServer, Database.Spare {
    private static final Logger log = LoggerFactory.getLogger(ControlConnection.class);

    /** How long a statement may have to wait until the thread that listens looks for it. */
    private static final int LISTEN_SLICE_MS = 100;

    /** The same while statements follow each other, as when a node starts or stops. A heartbeat now and then is not that. */
    private static final int LIVELY_SLICE_MS = 5;

    private static final long LIVELY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int GATHER_MS = 20;

    /** How long a stop waits for the current statement. */
    private static final Duration LAST_STATEMENT = Duration.ofSeconds(30);

    /** How long a stop waits for a login; a connection that comes later is closed. */
    private static final Duration LAST_LOGIN = Duration.ofSeconds(2);

    private static final long CALL_TIMEOUT_S = 5;
    private static final long ANSWER_TIMEOUT_S = 2;
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** An idle node that does not lead sends nothing for a minute, but has to notice earlier that its server is gone. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Every caller that needs the connection wakes this loop, but an unreachable server must not be tried each time. */
    private static final long BETWEEN_LOGINS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long BETWEEN_DOUBTS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ControlSession.Login login;
    private final @Nullable String channel;
    private final boolean portable;
    private final ServerTimeline timeline;
    private final StatementQueue statements;
    private final Consumer<String> onNotification;
    private final Runnable onConnect;
    private final Loop loop = new Loop("control", this::step);
    private @Nullable ControlSession session;

    /** The default isolation level of the server, the role or the pool. */
    private volatile String isolation = ControlSession.READ_COMMITTED;

    private long loginFrom = System.nanoTime();
    private long heardAt = System.nanoTime();
    private long usedAt = System.nanoTime();
    private long livelyUntil = System.nanoTime();
    private long doubtFrom = System.nanoTime();
    private volatile boolean doubted;
    private volatile boolean checkingServer;
    private volatile @Nullable SQLException serverRefusal;
    private volatile @Nullable SQLException refusal;
    private volatile long brokeAt = System.nanoTime();
    private volatile boolean connected;
    private volatile boolean started;
    private volatile boolean stopped;
    private volatile long answeredAt = System.nanoTime() - FRESH_NANOS;
    private volatile long lostAt = System.nanoTime() - TimeUnit.DAYS.toNanos(1);
    private volatile long silentAt = System.nanoTime() - TimeUnit.DAYS.toNanos(1);

    /**
     * @param channel the channel to listen on; null for none
     * @param portable whether the session behind the connection may change with each transaction
     * @param groups finds statements that are sent as one
     */
    public ControlConnection(
            DataSource dataSource,
            @Nullable String channel,
            boolean portable,
            ServerTimeline timeline,
            StatementGroup.Finder groups,
            Consumer<String> onNotification,
            Runnable onConnect) {
        this.login = new ControlSession.Login(dataSource, channel, portable, timeline);
        this.channel = channel;
        this.portable = portable;
        this.timeline = timeline;
        this.statements = new StatementQueue(groups);
        this.onNotification = onNotification;
        this.onConnect = onConnect;
    }

    public void start() {
        started = true;
        loop.start();
    }

    public void stop() {
        stopped = true;
        loop.stop(patienceOfStop());
        started = false;
        close();
        statements.failAll(new SQLException("the control connection was closed", SqlStates.CONNECTION_CLOSED));
    }

    /** How long a stop waits now. */
    Duration patienceOfStop() {
        return connected ? LAST_STATEMENT : LAST_LOGIN;
    }

    public boolean isConnected() {
        return connected;
    }

    Health health() {
        return loop.health();
    }

    /**
     * When the previous connection broke without a message of the server: statements on connections in use since before then
     * may never be answered. If the server has ended the session, that says nothing about other connections.
     */
    public long brokeAt() {
        return brokeAt;
    }

    @Override
    public @Nullable SQLException refusal() {
        return refusal;
    }

    @Override
    public void doubted() {
        doubted = true;
        loop.wake();
    }

    /**
     * Whether the database answers and takes writes; sends a statement unless this question was answered just before. What the node has sent
     * itself does not count: a node that has just started would be called ready by what it did before its database fell silent.
     */
    public boolean answers() {
        if (refusal != null) {
            return false;
        }
        long now = System.nanoTime();
        if (now - answeredAt < FRESH_NANOS) {
            return connected;
        }
        if (now - silentAt < FRESH_NANOS) {
            // Many callers must not queue up behind a database that does not answer.
            return false;
        }
        return answersNow();
    }

    private boolean answersNow() {
        try {
            call(ANSWER_TIMEOUT_S, open -> {
                try (Statement statement = open.createStatement()) {
                    return statement.execute("SELECT 1");
                }
            });
            answeredAt = System.nanoTime();
            return true;
        } catch (MusterException | IllegalStateException e) {
            silentAt = System.nanoTime();
            return false;
        }
    }

    /** Whether the connection broke since then, is down, or does not answer now; sends a statement and does not wait long. */
    public boolean lostContactSince(long nanos) {
        return started && (!connected || lostAt - nanos >= 0 || !answersNow());
    }

    /**
     * Opens a connection as this one would be opened, and closes it. Whoever has several servers finds the primary among them with that, and
     * ends connections to the others.
     */
    public void tryLogin() throws SQLException {
        login.check();
    }

    /** Runs one statement on the control connection, in autocommit mode. */
    public <T> T call(Database.Work<T> work) {
        boolean hasLevel = !portable || isolation.equals(ControlSession.READ_COMMITTED);
        return call(
                CALL_TIMEOUT_S,
                hasLevel
                        ? work
                        : connection -> inTransaction(connection, open -> {
                            try (Statement statement = open.createStatement()) {
                                statement.execute(Database.READ_COMMITTED);
                            }
                            return work.run(open);
                        }));
    }

    private <T> T call(long timeoutSeconds, Database.Work<T> work) {
        if (!started) {
            throw new IllegalStateException("the control connection is not open: call connect() first");
        }
        Task<T> task = statements.add(work);
        loop.wake();
        try {
            return task.result().get(timeoutSeconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SQLException sql
                    ? DatabaseErrors.translate(sql)
                    : new MusterException("a control statement failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            String message = "the control connection did not answer within " + timeoutSeconds + " s";
            throw statements.remove(task) ? new DatabaseUnavailable(message, e) : new OutcomeUnknown(message, e);
        } catch (InterruptedException e) {
            throw new WaitInterrupted("the control connection", e);
        }
    }

    /** Runs work in a transaction on the control connection, or on a pooled connection while the control connection is down. */
    public <T> T inTransaction(Database database, Database.Work<T> work) {
        if (!connected) {
            return database.inTransaction(work);
        }
        T done = call(
                CALL_TIMEOUT_S,
                connection -> inTransaction(connection, open -> {
                    database.applySettings(open);
                    T value = work.run(open);
                    timeline.requireStillNewest(open);
                    return value;
                }));
        SentCommits.note();
        return done;
    }

    @Override
    public boolean isOpen() {
        return connected;
    }

    @Override
    public <T> T once(Database.Work<T> work) throws SQLException {
        try {
            return call(
                    CALL_TIMEOUT_S,
                    connection -> inTransaction(connection, open -> {
                        T value = work.run(open);
                        timeline.requireStillNewest(open);
                        return value;
                    }));
        } catch (MusterException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static <T> T inTransaction(Connection connection, Database.Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        T value;
        try {
            value = work.run(connection);
            Database.commit(connection);
        } catch (Throwable e) {
            try {
                connection.rollback();
                connection.setAutoCommit(true);
            } catch (SQLException broken) {
                e.addSuppressed(broken);
            }
            throw e;
        }
        try {
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            log.debug("the control connection broke after a commit", e);
        }
        return value;
    }

    private Duration step() throws SQLException, InterruptedException {
        try {
            ControlSession current = session;
            if (current == null) {
                awaitNextLogin();
                current = connect();
            }
            Connection open = current.connection();
            checkServerIfDoubted();
            sendStatements(open);
            askIfSilent(open);
            if (channel == null) {
                return Duration.ofSeconds(1);
            }
            listen(open, livelyUntil - System.nanoTime() > 0 ? LIVELY_SLICE_MS : LISTEN_SLICE_MS);
            return Duration.ZERO;
        } catch (SQLException e) {
            lostAt = System.nanoTime();
            close(e);
            statements.failAll(e);
            throw SqlStates.takesNoWrites(e)
                    ? DatabaseErrors.translate(e)
                    : new DatabaseUnavailable("the control connection broke: " + e.getMessage(), e);
        }
    }

    private void awaitNextLogin() throws InterruptedException {
        long left = loginFrom - System.nanoTime();
        if (left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
        loginFrom = System.nanoTime() + BETWEEN_LOGINS_NANOS;
    }

    /** Checks the server on a new connection: this one may be the last on which the server still allows writes. */
    private void checkServerIfDoubted() throws SQLException {
        SQLException found = serverRefusal;
        serverRefusal = null;
        if (found != null) {
            throw found;
        }
        if (!doubted || checkingServer || System.nanoTime() - doubtFrom < 0) {
            return;
        }
        doubted = false;
        doubtFrom = System.nanoTime() + BETWEEN_DOUBTS_NANOS;
        checkingServer = true;
        // On a separate thread: a program's pool may have no connection for long, and heartbeats must not wait for one.
        Thread thread = new Thread(LogContext.inherit("control", this::checkServer), "muster-check-server");
        thread.setDaemon(true);
        thread.start();
    }

    private void checkServer() {
        try {
            login.check();
        } catch (SQLException | OpenTransaction e) {
            if (e instanceof SQLException refused && SqlStates.takesNoWrites(refused)) {
                serverRefusal = refused;
                loop.wake();
            } else {
                log.debug("no second connection to check the server", e);
            }
        } finally {
            checkingServer = false;
        }
    }

    private void askIfSilent(Connection open) throws SQLException {
        if (System.nanoTime() - heardAt > SILENCE_NANOS) {
            try (Statement statement = open.createStatement()) {
                statement.execute("SELECT 1");
            }
            heardAt = System.nanoTime();
        }
    }

    private void sendStatements(Connection open) throws SQLException {
        // A pooled connection may have met a newer server since the last time.
        timeline.require(open);
        if (statements.isEmpty()) {
            return;
        }
        if (channel != null && !portable && statements.hasBegunGroup()) {
            // Statements of one group arrive within moments of each other.
            listen(open, GATHER_MS);
        }
        // A portable session has no limits of its own, so one locked row could block a whole group.
        statements.sendAll(open, !portable);
        heardAt = System.nanoTime();
        if (heardAt - usedAt < LIVELY_NANOS) {
            livelyUntil = heardAt + LIVELY_NANOS;
        }
        usedAt = heardAt;
    }

    private void listen(Connection open, int millis) throws SQLException {
        PGNotification[] notifications = open.unwrap(PGConnection.class).getNotifications(millis);
        if (notifications != null) {
            for (PGNotification notification : notifications) {
                received(notification.getParameter());
            }
        }
    }

    /** Whoever may connect to the database may send anything: a notification that cannot be read keeps no other one back. */
    private void received(String payload) {
        try {
            onNotification.accept(payload);
        } catch (RuntimeException e) {
            log.warn("a notification is passed over: {}", e.toString());
        }
    }

    private ControlSession connect() throws SQLException {
        ControlSession fresh = login.open();
        isolation = fresh.isolation();
        if (!use(fresh)) {
            throw new SQLException("the control connection was closed", SqlStates.CONNECTION_CLOSED);
        }
        refusal = null;
        connected = true;
        heardAt = System.nanoTime();
        usedAt = heardAt;
        onConnect.run();
        return fresh;
    }

    /**
     * Takes a new session into use. A stop does not wait for a pool without free connections; a session that comes later is
     * closed.
     */
    private synchronized boolean use(ControlSession fresh) {
        session = fresh;
        if (stopped) {
            close();
        }
        return !stopped;
    }

    private void close(SQLException cause) {
        refusal = SqlStates.takesNoWrites(cause) ? cause : null;
        ControlSession open = session;
        boolean wrongServer = SqlStates.wrongServer(cause);
        if (open != null && wrongServer) {
            ConnectionAborter.discard(open.connection());
        }
        if (open != null && (wrongServer || !SqlStates.endedByTheServer(cause))) {
            brokeAt = System.nanoTime();
        }
        close();
    }

    private synchronized void close() {
        connected = false;
        ControlSession open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }
}
