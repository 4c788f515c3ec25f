package dev.muster.internal.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.job.Lane;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a coordinator of the application throws goes no further. */
class GuardedCoordinatorTest {
    private static final Lane LANE = new Lane("default", "");
    private static final Connection CONNECTION = (Connection) Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> null);

    private final Logger logger = (Logger) LoggerFactory.getLogger(GuardedCoordinator.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong now = new AtomicLong();
    private Throwable thrown = new IllegalStateException("no route to the cache");
    private final ClusterCoordinator guarded = new GuardedCoordinator(throwing(), now::get);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
    }

    /** Every one of its methods throws. */
    private ClusterCoordinator throwing() {
        return (ClusterCoordinator) Proxy.newProxyInstance(
                ClusterCoordinator.class.getClassLoader(),
                new Class<?>[] {ClusterCoordinator.class},
                (self, method, args) -> {
                    throw thrown;
                });
    }

    private void callAll() throws SQLException {
        guarded.notifyNewWork(Set.of(LANE));
        guarded.notifyNewWork(CONNECTION, Set.of(LANE));
        guarded.notifyNewWorkLater(LANE, Duration.ofSeconds(1));
        guarded.notifyChange(Topic.CRONS);
        guarded.registerChangeListener(Topic.CRONS, () -> {});
        guarded.registerWakeupListener(() -> {});
        guarded.registerWakeupListener((Consumer<Set<Lane>>) lanes -> {});
        assertThat(guarded.isListening()).isFalse();
    }

    @Test
    void nothingLeavesItAndOneLineAMinuteIsLogged() throws SQLException {
        callAll();
        thrown = new NoClassDefFoundError("io/lettuce/Client");
        callAll();
        assertThat(lines.list).hasSize(1);
        assertThat(lines.list.get(0).getFormattedMessage()).contains("coordinator=", "work is found by polling");
        assertThat(lines.list.get(0).getThrowableProxy().getMessage()).isEqualTo("no route to the cache");

        now.addAndGet(Duration.ofMinutes(1).toNanos());
        callAll();
        assertThat(lines.list).hasSize(2);
        assertThat(lines.list.get(1).getFormattedMessage()).contains("failures_not_logged_before=15");
    }

    /** The statement may have broken the transaction, whose owner must not believe that the job will be committed. */
    @Test
    void aStatementThatFailsInTheCallersTransactionIsTheCallersConcern() {
        thrown = new SQLException("deadlock detected", "40P01");
        assertThatThrownBy(() -> guarded.notifyNewWork(CONNECTION, Set.of(LANE)))
                .isSameAs(thrown);
        thrown = new IllegalStateException(new SQLException("deadlock detected", "40P01"));
        assertThatThrownBy(() -> guarded.notifyNewWork(CONNECTION, Set.of(LANE)))
                .isSameAs(thrown);
    }

    @Test
    void aNodeThatCouldNotRegisterDoesNotRelyOnWakeUps() {
        ClusterCoordinator halfDeaf = new GuardedCoordinator(
                new ClusterCoordinator() {
                    @Override
                    public void notifyNewWork(Set<Lane> lanes) {}

                    @Override
                    public void registerWakeupListener(Runnable listener) {
                        throw new IllegalStateException("not subscribed");
                    }

                    @Override
                    public boolean isListening() {
                        return true;
                    }
                },
                now::get);
        assertThat(halfDeaf.isListening()).isTrue();
        halfDeaf.registerWakeupListener((Consumer<Set<Lane>>) lanes -> {});
        assertThat(halfDeaf.isListening()).isFalse();
    }
}
