package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.postgres.WatchedConnections;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.testing.Measured;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.postgresql.PGConnection;

/** The control connection: over a pool of the host's that hands out no connection for long, what is set on it, and when it looks around. */
class ControlConnectionIT {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch handedOut = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();
    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
    }

    @AfterEach
    void close() {
        handedOut.countDown();
        database.close();
    }

    private ControlConnection link(DataSource source) {
        return link(source, null);
    }

    private ControlConnection link(DataSource source, @Nullable String channel) {
        ServerTimeline timeline = new ServerTimeline(new SqlFiles("public"), false);
        return new ControlConnection(
                source, channel, false, timeline, StatementGroup.Finder.NONE, payload -> {}, () -> {});
    }

    /** Gives the first this many at once; whoever asks for another waits. */
    private DataSource emptyAfter(int connections) {
        return WatchedConnections.source(() -> {
            if (requests.incrementAndGet() > connections) {
                asked.countDown();
                awaitUninterruptibly();
            }
            return database.connection();
        });
    }

    private void awaitUninterruptibly() throws SQLException {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        while (System.nanoTime() - end < 0) {
            try {
                if (handedOut.await(1, TimeUnit.SECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                // As a driver that waits for a server: it does not notice.
                continue;
            }
        }
        throw new SQLException("no connection");
    }

    private static int one(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute("SELECT 1") ? 1 : 0;
        }
    }

    /** A pooled connection has refused a write, so the server is to be looked at; the pool has no connection for that. */
    @Test
    void heartbeatsDoNotWaitForThePoolWhileTheServerIsLookedAt() throws Exception {
        ControlConnection control = link(emptyAfter(1));
        control.start();
        try {
            assertThat(control.<Integer>call(ControlConnectionIT::one)).isEqualTo(1);
            control.doubted();
            assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
            for (int i = 0; i < 3; i++) {
                assertThat(control.<Integer>call(ControlConnectionIT::one)).isEqualTo(1);
            }
            assertThat(control.isConnected()).isTrue();
        } finally {
            handedOut.countDown();
            control.stop();
        }
        await("the connection that came for the look went back")
                .until(() -> database.dataSource().getHikariPoolMXBean().getActiveConnections() == 0);
    }

    @Test
    void aConnectionThatComesAfterTheStopGoesBackToThePool() throws Exception {
        ControlConnection control = link(emptyAfter(0));
        control.start();
        assertThat(asked.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(control.patienceOfStop()).isEqualTo(Duration.ofSeconds(2));
        long begin = System.nanoTime();
        control.stop();
        Measured.within(
                Duration.ofSeconds(10), Duration.ofNanos(System.nanoTime() - begin), "a stop that waits for no login");

        handedOut.countDown();

        await("a connection was opened")
                .until(() -> database.dataSource().getHikariPoolMXBean().getTotalConnections() > 0);
        await("and went back")
                .until(() -> database.dataSource().getHikariPoolMXBean().getActiveConnections() == 0);
        assertThat(control.isConnected()).isFalse();
    }

    /** Its heartbeat was answered a moment ago, and now the server hangs. */
    @Test
    void aServerThatHangsDoesNotAnswerWhateverItDidBefore() throws Exception {
        ControlConnection control = link(database.dataSource());
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        Thread hanging = new Thread(() -> control.<Boolean>call(connection -> {
            hangs.countDown();
            try {
                return goesOn.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
        }));
        hanging.setUncaughtExceptionHandler((thread, gaveUp) -> {});
        control.start();
        try {
            assertThat(control.<Integer>call(ControlConnectionIT::one)).isEqualTo(1);
            hanging.start();
            assertThat(hangs.await(1, TimeUnit.MINUTES)).isTrue();

            assertThat(control.answers()).isFalse();

            goesOn.countDown();
            await().until(control::answers);
        } finally {
            goesOn.countDown();
            hanging.join();
            control.stop();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theServerNoticesWithinSecondsThatTheNodeIsUnreachable() {
        ControlConnection control = link(database.dataSource());
        control.start();
        try {
            await().until(control::isConnected);
            assertThat(control.<List<String>>call(connection -> show(
                            connection,
                            "tcp_keepalives_idle",
                            "tcp_keepalives_interval",
                            "tcp_keepalives_count",
                            "tcp_user_timeout")))
                    .containsExactly("3", "1", "3", "5000");
            assertThat(control.patienceOfStop()).as("for the current statement").isEqualTo(Duration.ofSeconds(30));
        } finally {
            control.stop();
        }
    }

    private static List<String> show(Connection connection, String... settings) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            for (String setting : settings) {
                ResultSet rows = statement.executeQuery("SHOW " + setting);
                rows.next();
                values.add(rows.getString(1));
            }
        }
        return values;
    }

    /** Whoever starts or stops a node waits for one statement after the other; an idle node must not look around all the time. */
    @Test
    void statementsThatFollowEachOtherAreLookedForOftenButSingleOnesAreNot() {
        List<Integer> slices = new CopyOnWriteArrayList<>();
        DataSource source = WatchedConnections.source(() -> recordingSlices(database.connection(), slices));
        ControlConnection control = link(source, "somewhere");
        control.start();
        try {
            await().until(() -> !slices.isEmpty());
            for (int i = 0; i < 2; i++) {
                awaitQuiet(slices);
                slices.clear();
                control.call(ControlConnectionIT::one);
                await().until(() -> slices.size() >= 2);
                assertThat(slices).as("milliseconds after a single statement").containsOnly(100);
            }
            await().until(() -> {
                control.call(ControlConnectionIT::one);
                return slices.contains(5);
            });
            awaitQuiet(slices);
            slices.clear();
            await().until(() -> !slices.isEmpty());
            assertThat(slices).as("milliseconds when it is quiet again").containsOnly(100);
        } finally {
            control.stop();
        }
    }

    /** Until the control connection has listened and sent nothing for longer than statements may be apart that follow each other. */
    private static void awaitQuiet(List<Integer> slices) {
        int before = slices.size();
        await().until(() -> slices.size() > before);
        long from = System.nanoTime();
        await().until(() -> System.nanoTime() - from > TimeUnit.MILLISECONDS.toNanos(600));
        int after = slices.size();
        await().until(() -> slices.size() > after);
    }

    /** Notes for how many milliseconds each look for notifications may take. */
    private static Connection recordingSlices(Connection real, List<Integer> slices) throws SQLException {
        PGConnection driver = real.unwrap(PGConnection.class);
        PGConnection recording = WatchedConnections.proxy(PGConnection.class, (self, method, arguments) -> {
            if (method.getName().equals("getNotifications") && arguments != null) {
                slices.add((Integer) arguments[0]);
            }
            return WatchedConnections.invoke(driver, method, arguments);
        });
        return WatchedConnections.proxy(Connection.class, (self, method, arguments) -> {
            boolean listens = method.getName().equals("unwrap") && arguments[0] == PGConnection.class;
            return listens ? recording : WatchedConnections.invoke(real, method, arguments);
        });
    }
}
