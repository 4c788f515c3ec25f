package dev.muster.postgres;

import dev.muster.Store;
import dev.muster.StoreProvider;
import dev.muster.config.MusterConfig;
import dev.muster.postgres.schema.Migrations;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Makes PostgreSQL the store. */
public final class PostgresStoreProvider implements StoreProvider {

    @Override
    public Store open(@Nullable DataSource dataSource, @Nullable DataSource control, MusterConfig config) {
        if (dataSource == null) {
            return PostgresStore.open(config);
        }
        return control == null ? new PostgresStore(dataSource, config) : new PostgresStore(dataSource, control, config);
    }

    @Override
    public String tablesVersion() {
        return Migrations.fingerprint();
    }
}
