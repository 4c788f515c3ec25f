package dev.muster.contracts.internal;

import dev.muster.internal.access.TimeStore;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobId;
import dev.muster.leader.Leadership.FencedWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What the contracts of all ports share: a database with nothing in it for each test, so that they can run at the same time. */
@Execution(ExecutionMode.CONCURRENT)
abstract class PortContract {
    private FreshStore fresh;

    abstract FreshStore open();

    @BeforeEach
    final void openStore() {
        fresh = open();
    }

    @AfterEach
    final void closeStore() {
        fresh.close();
    }

    final Store store() {
        return fresh.store();
    }

    final Store anotherNode() {
        return fresh.anotherNode();
    }

    final void kill(Store node) {
        fresh.kill(node);
    }

    /** Moves the database's clock. */
    final void advance(Duration by) {
        fresh.advance(by);
    }

    /** From now on only {@link #advance} moves the database's clock: for tests in which seconds count, of which a busy machine may take some. */
    final void stopClock() {
        fresh.stopClock();
    }

    /** An id that begins with the database's time, as those of a node do whose clock is right. */
    final JobId idOfNow() {
        long millis = store().port(TimeStore.class).now().toEpochMilli();
        UUID random = UUID.randomUUID();
        return JobId.of(new UUID(millis << 16 | 0x7000, random.getLeastSignificantBits()));
    }

    /** A connection to the store's database that is not in autocommit mode. */
    final Connection transaction() throws SQLException {
        return fresh.transaction();
    }

    /** Work of the leader, or of the node that stands in for one. */
    final <T> T inTransaction(FencedWork<T> work) {
        try (Connection connection = transaction()) {
            T value = work.run(connection);
            connection.commit();
            return value;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
