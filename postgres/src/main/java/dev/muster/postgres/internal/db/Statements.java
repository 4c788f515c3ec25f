package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;

/** How the driver prepares statements, and reads the answers to several that were sent together. */
public final class Statements {

    private Statements() {}

    /** The rows of the last of several statements that were sent together. */
    public static ResultSet lastResult(PreparedStatement statement) throws SQLException {
        ResultSet last = null;
        do {
            ResultSet rows = statement.getResultSet();
            if (rows != null) {
                last = rows;
            }
        } while (statement.getMoreResults(Statement.KEEP_CURRENT_RESULT) || statement.getUpdateCount() != -1);
        if (last == null) {
            throw new SQLException("none of the statements returned rows");
        }
        return last;
    }

    /** Turns off server-side prepared statements: they belong to one session, and the next statement may run in another. */
    static void neverPrepare(Connection connection) throws SQLException {
        if (connection.isWrapperFor(PGConnection.class)) {
            connection.unwrap(PGConnection.class).setPrepareThreshold(0);
        }
    }

    /**
     * A statement that the server prepares at its first use; the driver keeps it per connection. This does not apply to
     * connections without server-side prepared statements.
     */
    public static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        return prepared(connection.prepareStatement(sql));
    }

    /** A statement like {@link #prepare}, with a result that can be read more than once. */
    public static PreparedStatement prepareScrollable(Connection connection, String sql) throws SQLException {
        return prepared(
                connection.prepareStatement(sql, ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY));
    }

    private static PreparedStatement prepared(PreparedStatement statement) throws SQLException {
        if (statement.isWrapperFor(PGStatement.class)) {
            PGStatement driver = statement.unwrap(PGStatement.class);
            if (driver.getPrepareThreshold() != 0) {
                driver.setPrepareThreshold(1);
            }
        }
        return statement;
    }
}
