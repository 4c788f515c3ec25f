package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A statement with its parameters, and what becomes of its rows:
 *
 * <pre>
 *   database.query("locks/list").list(connection, PostgresLockStore::lock);
 *   database.query("locks/renew").with(p -&gt; p.number(millis).text(name).number(token)).update(connection);
 * </pre>
 *
 * The exchange of claims and outcomes does without it: what it reads and writes goes straight from and to arrays.
 */
public final class Query {
    private final String sql;
    private final boolean prepared;
    private final Binder binder;

    private Query(String sql, boolean prepared, Binder binder) {
        this.sql = sql;
        this.prepared = prepared;
        this.binder = binder;
    }

    /** @param prepared whether the server prepares it at its first use; see {@link Statements#prepare} */
    static Query of(String sql, boolean prepared) {
        return new Query(sql, prepared, params -> {});
    }

    /** Binds the parameters of a statement, in their order. */
    @FunctionalInterface
    public interface Binder {
        void bind(Params params) throws SQLException;
    }

    /** Reads the current row. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Does something with each row. */
    @FunctionalInterface
    public interface RowConsumer {
        void accept(ResultSet row) throws SQLException;
    }

    /** The same statement with these parameters. */
    public Query with(Binder parameters) {
        return new Query(sql, prepared, parameters);
    }

    /** Runs it, and returns how many rows it changed. */
    public int update(Connection connection) throws SQLException {
        try (PreparedStatement statement = bound(connection)) {
            return statement.executeUpdate();
        }
    }

    /** Runs it for its effect, whatever it returns. */
    public void run(Connection connection) throws SQLException {
        try (PreparedStatement statement = bound(connection)) {
            statement.execute();
        }
    }

    /** Hands over each row. */
    public void each(Connection connection, RowConsumer rows) throws SQLException {
        all(connection, found -> {
            while (found.next()) {
                rows.accept(found);
            }
            return true;
        });
    }

    public <T> List<T> list(Connection connection, RowReader<T> reader) throws SQLException {
        List<T> all = new ArrayList<>();
        each(connection, row -> all.add(reader.read(row)));
        return all;
    }

    /** What the reader makes of the first row; nothing if there is no row, or it makes null of it. */
    public <T> Optional<T> first(Connection connection, RowReader<T> reader) throws SQLException {
        return all(connection, found -> found.next() ? Optional.ofNullable(reader.read(found)) : Optional.empty());
    }

    /** Reads the one row that this statement always returns. */
    public <T> T one(Connection connection, RowReader<T> reader) throws SQLException {
        return all(connection, found -> {
            found.next();
            return reader.read(found);
        });
    }

    /**
     * Lets the reader walk over all rows; it is handed them before the first one. If there are statements before the one that asks, which begin a
     * transaction, their answers are passed over.
     */
    public <T> T all(Connection connection, RowReader<T> reader) throws SQLException {
        try (PreparedStatement statement = bound(connection)) {
            statement.execute();
            return reader.read(Statements.lastResult(statement));
        }
    }

    /**
     * Lets the reader walk over rows that the driver fetches in portions, so that it can stop early. The connection must be in a transaction.
     *
     * @param first how many rows come first; then the reader may change it with {@link ResultSet#setFetchSize}. 0 fetches all at once
     */
    public <T> T inPortions(Connection connection, int first, RowReader<T> reader) throws SQLException {
        try (PreparedStatement statement = bound(connection)) {
            statement.setFetchSize(first);
            return reader.read(statement.executeQuery());
        }
    }

    /** Whether it returns a row. */
    public boolean exists(Connection connection) throws SQLException {
        return all(connection, ResultSet::next);
    }

    private PreparedStatement bound(Connection connection) throws SQLException {
        PreparedStatement statement = prepared ? Statements.prepare(connection, sql) : connection.prepareStatement(sql);
        try {
            binder.bind(new Params(statement));
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }
}
