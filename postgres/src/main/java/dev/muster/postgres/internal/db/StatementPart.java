package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One of several statements that are sent together and answered in one round trip, so that none can use what another one answers. Each
 * has a snapshot of its own.
 *
 * @param sql exactly one statement, from a {@code .sql} file
 * @param bind binds its parameters, in order
 * @param read reads its answer, which is the current result of the statement
 */
public record StatementPart(String sql, Binding bind, Reading read) {
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
    public static StatementPart unread(String sql, Binding bind) {
        return new StatementPart(sql, bind, statement -> {});
    }

    public static StatementPart unread(String sql) {
        return unread(sql, params -> {});
    }

    /** The rows that a part has answered. */
    public static ResultSet rows(PreparedStatement statement) throws SQLException {
        ResultSet rows = statement.getResultSet();
        if (rows == null) {
            throw new SQLException("a statement that was sent with others returned no rows");
        }
        return rows;
    }

    /** Sends these statements and reads their answers. */
    public static void send(Connection connection, List<StatementPart> parts) throws SQLException {
        String text = parts.stream().map(StatementPart::sql).collect(Collectors.joining(";"));
        try (PreparedStatement statement = Statements.prepare(connection, text)) {
            Params params = new Params(statement);
            for (StatementPart part : parts) {
                part.bind().to(params);
            }
            statement.execute();
            for (int i = 0; i < parts.size(); i++) {
                if (i > 0) {
                    statement.getMoreResults();
                }
                parts.get(i).read().from(statement);
            }
        }
    }
}
