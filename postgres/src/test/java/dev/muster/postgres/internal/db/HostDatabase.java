package dev.muster.postgres.internal.db;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.NewJob;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database of a host, whose settings and pools a test chooses. */
abstract class HostDatabase {
    FreshDatabase database;

    @BeforeEach
    void open() {
        database = new FreshDatabase();
    }

    @AfterEach
    void close() {
        database.close();
    }

    static ClaimFilter filter(String node) {
        return new ClaimFilter(node, null, Set.of(), null, Duration.ofMinutes(5));
    }

    static List<NewJob> plain(int count) {
        return Stream.generate(() -> JobDraft.plain("a")).limit(count).toList();
    }

    void setForDatabase(String setting) {
        database.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET " + setting.replace("'", "''")
                + "', current_database()); END $$");
        database.dataSource().getHikariPoolMXBean().softEvictConnections();
    }

    HikariDataSource pool(Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(0);
        settings.accept(config);
        return new HikariDataSource(config);
    }

    static PostgresStore store(DataSource source) {
        return new PostgresStore(source, MusterConfig.defaults());
    }

    static String text(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }
}
