package dev.muster.postgres.db;

import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.Health;
import dev.muster.runtime.LogContext;
import dev.muster.runtime.Loop;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.WaitInterrupted;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
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
public final class ControlConnection implements Database.WritableServer {
    private static final Logger log = LoggerFactory.getLogger(ControlConnection.class);
    private static final int LISTEN_SLICE_MS = 100;
    private static final int GATHER_MS = 20;

    /** Longer than any statement may take here: after this time the server is considered unreachable. */
    private static final int SOCKET_TIMEOUT_MS = 6_000;

    /** How long a stop waits for the current statement. */
    private static final Duration LAST_STATEMENT = Duration.ofSeconds(30);

    /** How long a stop waits for a login; a connection that comes later is closed. */
    private static final Duration LAST_LOGIN = Duration.ofSeconds(2);

    private static final long CALL_TIMEOUT_S = 5;
    private static final long ANSWER_TIMEOUT_S = 2;
    private static final long APART_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** An idle node that does not lead sends nothing for a minute, but has to notice earlier that its server is gone. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Every caller that needs the connection wakes this loop, but an unreachable server must not be tried each time. */
    private static final long BETWEEN_LOGINS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long BETWEEN_DOUBTS_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Makes the server notice within seconds that the node is unreachable, and release its locks. */
    private static final String SESSION = "SET statement_timeout = '4s'; SET lock_timeout = '3s';"
            + " SET default_transaction_isolation = 'read committed'; SET tcp_keepalives_idle = 3;"
            + " SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3; SET tcp_user_timeout = '5s'";

    private static final String READ_COMMITTED = "read committed";

    private static final String TAKES_NO_WRITES =
            "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'";

    private static final String NOTHING_LEFT =
            "UNLISTEN *; SELECT pg_advisory_unlock_all(); RESET statement_timeout; RESET lock_timeout;"
                    + " RESET tcp_keepalives_idle; RESET tcp_keepalives_interval; RESET tcp_keepalives_count;"
                    + " RESET tcp_user_timeout";

    private final DataSource dataSource;
    private final @Nullable String channel;
    private final boolean portable;
    private final ServerTimeline timeline;
    private final StatementGroup.Finder groups;
    private final Consumer<String> onNotification;
    private final Runnable onConnect;
    private final ConcurrentLinkedQueue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
    private final Loop loop = new Loop("control", this::step);
    private @Nullable Connection connection;
    private @Nullable BorrowedConnection loan;

    /** The default isolation level of the server, the role or the pool. */
    private volatile String isolation = READ_COMMITTED;

    private long apartUntil = System.nanoTime();
    private long loginFrom = System.nanoTime();
    private long heardAt = System.nanoTime();
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
        this.dataSource = dataSource;
        this.channel = channel;
        this.portable = portable;
        this.timeline = timeline;
        this.groups = groups;
        this.onNotification = onNotification;
        this.onConnect = onConnect;
    }

    private record Task<T>(Database.Work<T> work, CompletableFuture<T> result) {
        void run(Connection connection) throws SQLException {
            try {
                result.complete(work.run(connection));
            } catch (SQLException e) {
                result.completeExceptionally(e);
                if (SqlStates.connectionLost(e)) {
                    throw e;
                }
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }

        /** Answers this statement if it is in the group; returns whether it is. */
        boolean answer(StatementGroup.Answers answers, StatementGroup group) throws SQLException {
            if (!group.contains(work)) {
                return false;
            }
            try {
                result.complete(answers.to(work));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
            return true;
        }
    }

    public void start() {
        started = true;
        loop.start();
    }

    public void stop() {
        stopped = true;
        loop.stop(connected ? LAST_STATEMENT : LAST_LOGIN);
        started = false;
        close();
        failTasks(new SQLException("the control connection was closed", SqlStates.CONNECTION_CLOSED));
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

    /** Whether the database answers and takes writes; sends a statement unless there was an answer just before. */
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

    /** Runs one statement on the control connection, in autocommit mode. */
    public <T> T call(Database.Work<T> work) {
        boolean hasLevel = !portable || isolation.equals(READ_COMMITTED);
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
        Task<T> task = new Task<>(work, new CompletableFuture<>());
        tasks.add(task);
        loop.wake();
        try {
            T value = task.result.get(timeoutSeconds, TimeUnit.SECONDS);
            answeredAt = System.nanoTime();
            return value;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SQLException sql
                    ? DatabaseErrors.translate(sql)
                    : new MusterException("a control statement failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            tasks.remove(task);
            throw new DatabaseUnavailable("the control connection did not answer within " + timeoutSeconds + " s", e);
        } catch (InterruptedException e) {
            throw new WaitInterrupted("the control connection", e);
        }
    }

    /** Runs work in a transaction on the control connection, or on a pooled connection while the control connection is down. */
    public <T> T inTransaction(Database database, Database.Work<T> work) {
        if (!connected) {
            return database.inTransaction(work);
        }
        return call(
                CALL_TIMEOUT_S,
                connection -> inTransaction(connection, open -> {
                    database.applySettings(open);
                    T value = work.run(open);
                    timeline.requireStillNewest(open);
                    return value;
                }));
    }

    private static <T> T inTransaction(Connection connection, Database.Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            T value = work.run(connection);
            connection.commit();
            return value;
        } catch (Throwable e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private Duration step() throws SQLException, InterruptedException {
        try {
            Connection open = connection;
            if (open == null) {
                awaitNextLogin();
                open = connect();
            }
            checkServerIfDoubted();
            runTasks(open);
            askIfSilent(open);
            if (channel == null) {
                return Duration.ofSeconds(1);
            }
            listen(open, LISTEN_SLICE_MS);
            return Duration.ZERO;
        } catch (SQLException e) {
            lostAt = System.nanoTime();
            close(e);
            failTasks(e);
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
        try (Connection fresh = dataSource.getConnection()) {
            prepare(fresh).close();
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

    private void runTasks(Connection open) throws SQLException {
        // A pooled connection may have met a newer server since the last time.
        timeline.require(open);
        if (tasks.isEmpty()) {
            return;
        }
        if (channel != null && !portable && groups.isBegun(waiting())) {
            // Statements of one group arrive within moments of each other.
            listen(open, GATHER_MS);
        }
        Optional<StatementGroup> group = groups.among(waiting());
        // A portable session has no limits of its own, so one locked row could block the whole group.
        if (group.isPresent() && !portable && System.nanoTime() - apartUntil >= 0) {
            askTogether(open, group.get());
        }
        Task<?> task;
        while ((task = tasks.poll()) != null) {
            task.run(open);
        }
        heardAt = System.nanoTime();
    }

    private List<Database.Work<?>> waiting() {
        return tasks.stream().<Database.Work<?>>map(Task::work).toList();
    }

    /**
     * Sends one statement for the group. If it fails, each is sent by itself, so that an error of one does not affect the
     * others.
     */
    private void askTogether(Connection open, StatementGroup group) throws SQLException {
        try {
            group.ask(open, answers -> {
                for (Task<?> task : tasks) {
                    if (task.answer(answers, group)) {
                        tasks.remove(task);
                    }
                }
            });
        } catch (SQLException e) {
            if (SqlStates.connectionLost(e)) {
                throw e;
            }
            log.debug("what was asked together is asked one by one for a while", e);
            apartUntil = System.nanoTime() + APART_NANOS;
            for (Database.Work<?> member : group.apart(e)) {
                for (Task<?> task : tasks) {
                    if (task.work() == member && tasks.remove(task)) {
                        task.run(open);
                    }
                }
            }
        }
    }

    private void listen(Connection open, int millis) throws SQLException {
        PGNotification[] notifications = open.unwrap(PGConnection.class).getNotifications(millis);
        if (notifications != null) {
            for (PGNotification notification : notifications) {
                onNotification.accept(notification.getParameter());
            }
        }
    }

    private Connection connect() throws SQLException {
        Connection fresh = dataSource.getConnection();
        BorrowedConnection lent = prepare(fresh);
        try (Statement statement = fresh.createStatement()) {
            isolation = isolation(statement);
            if (!portable) {
                statement.execute(SESSION);
            }
            if (channel != null) {
                statement.execute("LISTEN \"" + channel + "\"");
            }
        } catch (SQLException e) {
            // The connection may belong to a pool, and some of the session's settings are on it.
            ConnectionAborter.discard(fresh);
            lent.close();
            throw e;
        }
        if (!use(fresh, lent)) {
            throw new SQLException("the control connection was closed", SqlStates.CONNECTION_CLOSED);
        }
        refusal = null;
        connected = true;
        heardAt = System.nanoTime();
        onConnect.run();
        return fresh;
    }

    /**
     * Takes a new connection into use. A stop does not wait for a pool without free connections; one that comes later is
     * closed.
     */
    private synchronized boolean use(Connection fresh, BorrowedConnection lent) {
        connection = fresh;
        loan = lent;
        if (stopped) {
            close();
        }
        return !stopped;
    }

    /** Prepares a new connection; if its server takes no writes, refuses it and closes the connection. */
    private BorrowedConnection prepare(Connection fresh) throws SQLException {
        BorrowedConnection lent = null;
        try {
            lent = BorrowedConnection.of(dataSource, fresh);
            fresh.setNetworkTimeout(Runnable::run, SOCKET_TIMEOUT_MS);
            fresh.setAutoCommit(true);
            if (portable) {
                Statements.neverPrepare(fresh);
            }
            try (Statement statement = fresh.createStatement()) {
                refuseWhatTakesNoWrites(statement);
            }
            timeline.require(fresh);
            return lent;
        } catch (SQLException | OpenTransaction e) {
            if (e instanceof SQLException refused && SqlStates.wrongServer(refused)) {
                ConnectionAborter.discard(fresh);
            }
            if (lent == null) {
                fresh.close();
            } else {
                lent.close();
            }
            throw e;
        }
    }

    /** A standby accepts no heartbeat and grants advisory locks to every node. */
    private static void refuseWhatTakesNoWrites(Statement statement) throws SQLException {
        ResultSet rows = statement.executeQuery(TAKES_NO_WRITES);
        rows.next();
        if (rows.getBoolean(1) || rows.getBoolean(2)) {
            throw new DatabaseErrors.TakesNoWrites(rows.getBoolean(1));
        }
    }

    private static String isolation(Statement statement) throws SQLException {
        ResultSet rows = statement.executeQuery("SELECT current_setting('default_transaction_isolation')");
        rows.next();
        return rows.getString(1);
    }

    private void close(SQLException cause) {
        refusal = SqlStates.takesNoWrites(cause) ? cause : null;
        Connection open = connection;
        boolean wrongServer = SqlStates.wrongServer(cause);
        if (open != null && wrongServer) {
            ConnectionAborter.discard(open);
        }
        if (open != null && (wrongServer || !SqlStates.endedByTheServer(cause))) {
            brokeAt = System.nanoTime();
        }
        close();
    }

    private synchronized void close() {
        connected = false;
        Connection open = connection;
        connection = null;
        if (open != null) {
            try {
                if (!portable && !open.isClosed()) {
                    // The connection may belong to a pool: nothing must be left behind on it.
                    try (Statement statement = open.createStatement()) {
                        statement.execute(NOTHING_LEFT + "; SET default_transaction_isolation = '" + isolation + "'");
                    }
                }
            } catch (SQLException e) {
                // The connection is broken already and only has to be closed.
            } finally {
                closeQuietly(loan == null ? open : loan);
            }
        }
    }

    private static void closeQuietly(AutoCloseable open) {
        try {
            open.close();
        } catch (Exception e) {
            log.debug("closing a broken connection failed", e);
        }
    }

    private void failTasks(SQLException cause) {
        Task<?> task;
        while ((task = tasks.poll()) != null) {
            task.result.completeExceptionally(cause);
        }
    }
}
