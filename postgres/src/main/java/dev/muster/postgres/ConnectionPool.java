package dev.muster.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.config.DatabaseConfig;
import dev.muster.config.DatabaseConfig.Profile;
import dev.muster.config.MusterConfig;
import dev.muster.runtime.MusterException;
import org.postgresql.ds.PGSimpleDataSource;

/** The connections of a node that was given a URL instead of a DataSource. */
final class ConnectionPool {
    /** uuid[] and tid[], which the driver would send as text; see {@link UuidArray}. */
    private static final String BINARY_ARRAYS = "2951,1010";

    private ConnectionPool() {}

    static PostgresStore open(String url, MusterConfig config) {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new MusterException(
                    "database.url must start with jdbc:postgresql:, such as" + " jdbc:postgresql://localhost:5432/app");
        }
        PGSimpleDataSource direct = direct(url, config.database());
        HikariDataSource pool = pool(direct, config);
        return new PostgresStore(pool, direct, pool::close, config);
    }

    private static PGSimpleDataSource direct(String url, DatabaseConfig config) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setTcpKeepAlive(true);
        source.setConnectTimeout(5);
        source.setSocketTimeout(60);
        source.setApplicationName("muster");
        source.setBinaryTransferEnable(BINARY_ARRAYS);
        try {
            source.setUrl(url);
        } catch (IllegalArgumentException e) {
            throw new MusterException(
                    "database.url is not a PostgreSQL JDBC URL, which looks like jdbc:postgresql://host:5432/database");
        }
        if (source.getServerNames().length > 1) {
            followThePrimary(source, url);
        }
        if (config.profile() == Profile.PORTABLE) {
            source.setPrepareThreshold(0);
        }
        config.username().ifPresent(source::setUser);
        config.password().ifPresent(source::setPassword);
        return source;
    }

    /** Of several hosts only the primary is of use, and after a failover it is another one than a moment ago. */
    private static void followThePrimary(PGSimpleDataSource source, String url) {
        if (!url.contains("targetServerType=")) {
            source.setTargetServerType("primary");
        }
        if (!url.contains("hostRecheckSeconds=")) {
            source.setHostRecheckSeconds(0);
        }
    }

    private static HikariDataSource pool(PGSimpleDataSource direct, MusterConfig config) {
        HikariConfig hikari = new HikariConfig();
        hikari.setDataSource(direct);
        hikari.setPoolName("muster");
        hikari.setMaximumPoolSize(config.database().poolSize());
        hikari.setMinimumIdle(0);
        hikari.setIdleTimeout(30_000);
        hikari.setConnectionTimeout(10_000);
        hikari.setValidationTimeout(3_000);
        hikari.setInitializationFailTimeout(-1);
        return new HikariDataSource(hikari);
    }
}
