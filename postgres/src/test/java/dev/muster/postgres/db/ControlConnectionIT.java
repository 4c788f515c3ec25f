package dev.muster.postgres.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.postgres.FreshDatabase;
import dev.muster.postgres.WatchedConnections;
import dev.muster.testing.Measured;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The control connection over a pool of the host's that hands out no connection for long. */
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
        ServerTimeline timeline = new ServerTimeline(new SqlFiles("public"), false);
        return new ControlConnection(
                source, null, false, timeline, StatementGroup.Finder.NONE, payload -> {}, () -> {});
    }

    /** Gives the first so many at once; whoever asks for another waits. */
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
}
