package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A plain connection per thread, with its prepared statements. */
final class ThreadConnections implements AutoCloseable {
    private final String url;
    private final Map<Thread, Open> open = new ConcurrentHashMap<>();

    private record Open(Connection connection, Map<String, PreparedStatement> statements) {}

    ThreadConnections(String url) {
        this.url = url;
    }

    PreparedStatement prepare(String sql) throws SQLException {
        Open mine = open.get(Thread.currentThread());
        if (mine == null) {
            mine = new Open(DriverManager.getConnection(url), new ConcurrentHashMap<>());
            open.put(Thread.currentThread(), mine);
        }
        PreparedStatement statement = mine.statements.get(sql);
        if (statement == null) {
            statement = mine.connection.prepareStatement(sql);
            mine.statements.put(sql, statement);
        }
        return statement;
    }

    @Override
    public void close() {
        for (Open one : open.values()) {
            try {
                one.connection.close();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
        open.clear();
    }
}
