package dev.muster.spring.internal;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.util.ClassUtils;

/**
 * Connects to the database of a pool without the pool: for the one connection that a node keeps for as long as it runs. The pool's leak
 * detection would report it, and a small pool would miss it.
 */
final class ControlDataSource extends AbstractDataSource {
    private static final boolean HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", ControlDataSource.class.getClassLoader());

    private final HikariDataSource pool;

    private ControlDataSource(HikariDataSource pool) {
        this.pool = pool;
    }

    /** Empty if the pool is another one than Hikari, or does not connect by a URL. */
    static Optional<DataSource> besides(DataSource dataSource) {
        if (HIKARI
                && UnderlyingDataSource.innermost(dataSource) instanceof HikariDataSource pool
                && pool.getJdbcUrl() != null) {
            return Optional.of(new ControlDataSource(pool));
        }
        return Optional.empty();
    }

    /** The pool is asked each time, because its password may have been changed. */
    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(pool.getUsername(), pool.getPassword());
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(pool.getDataSourceProperties());
        if (username != null) {
            properties.setProperty("user", username);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        Connection connection = DriverManager.getConnection(pool.getJdbcUrl(), properties);
        try {
            prepare(connection);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
        return connection;
    }

    /** As the pool does with its connections. */
    private void prepare(Connection connection) throws SQLException {
        if (pool.getSchema() != null) {
            connection.setSchema(pool.getSchema());
        }
        if (pool.getConnectionInitSql() != null) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(pool.getConnectionInitSql());
            }
        }
    }
}
