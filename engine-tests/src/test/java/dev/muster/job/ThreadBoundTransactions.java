package dev.muster.job;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Transactions that are bound to their thread, as those of application frameworks are. */
final class ThreadBoundTransactions implements CurrentTransaction {
    private final DataSource dataSource;
    private final ThreadLocal<Open> current = new ThreadLocal<>();

    private record Open(Connection connection, List<Runnable> afterCommit) {}

    /** What happens in a transaction. */
    @FunctionalInterface
    interface Work {
        void in(Connection connection) throws SQLException;
    }

    ThreadBoundTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Optional<Connection> current() {
        return Optional.ofNullable(current.get()).map(Open::connection);
    }

    @Override
    public void afterCommit(Runnable action) {
        current.get().afterCommit().add(action);
    }

    void commit(Work work) throws SQLException {
        Open open = run(work, Connection::commit, false);
        open.afterCommit().forEach(Runnable::run);
    }

    void rollBack(Work work) throws SQLException {
        run(work, Connection::rollback, false);
    }

    void readOnly(Work work) throws SQLException {
        run(work, Connection::commit, true);
    }

    private Open run(Work work, Work end, boolean readOnly) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setReadOnly(readOnly);
            connection.setAutoCommit(false);
            Open open = new Open(connection, new ArrayList<>());
            current.set(open);
            try {
                work.in(connection);
                end.in(connection);
                return open;
            } finally {
                current.remove();
                connection.rollback();
                connection.setAutoCommit(true);
                connection.setReadOnly(false);
            }
        }
    }
}
