package dev.muster.postgres.internal;

import dev.muster.config.MusterConfig;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import dev.muster.postgres.internal.schema.Migrations;
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
