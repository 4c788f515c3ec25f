package dev.muster.postgres.claims;

import dev.muster.postgres.db.Params;
import dev.muster.postgres.db.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * One statement of an exchange. All parts are sent together and answered in one round trip, so a part cannot use what another
 * one answers.
 *
 * @param sql exactly one statement, from a {@code .sql} file
 * @param bind binds its parameters, in order
 * @param read reads its answer, which is the current result of the statement
 */
public record ExchangePart(String sql, Binding bind, Reading read) {
    /** Binds the parameters of a part. */
    @FunctionalInterface
    public interface Binding {
        void to(Params params) throws SQLException;
    }

    /** Reads the answer of a part. */
    @FunctionalInterface
    public interface Reading {
        void from(PreparedStatement statement) throws SQLException;
    }

    /** A statement whose answer does not matter. */
    static ExchangePart unread(String sql, Binding bind) {
        return new ExchangePart(sql, bind, statement -> {});
    }

    static ExchangePart unread(String sql) {
        return unread(sql, params -> {});
    }

    /** The rows that a part has answered. */
    public static ResultSet rows(PreparedStatement statement) throws SQLException {
        ResultSet rows = statement.getResultSet();
        if (rows == null) {
            throw new SQLException("a statement of the exchange returned no rows");
        }
        return rows;
    }

    /** Sends this part by itself. */
    void run(Connection connection) throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, sql)) {
            bind.to(new Params(statement));
            statement.execute();
            read.from(statement);
        }
    }
}
