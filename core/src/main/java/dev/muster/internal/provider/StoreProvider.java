package dev.muster.internal.provider;

import dev.muster.config.MusterConfig;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens a store. Muster finds it with {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /**
     * @param dataSource where connections come from; if null, the store opens {@code database.url} itself
     * @param control where the one connection comes from that a node keeps; null: where the others come from
     */
    Store open(@Nullable DataSource dataSource, @Nullable DataSource control, MusterConfig config);

    /**
     * Names what {@link Store#migrate} makes of an empty database: another text whenever that is something else. The test kit keeps a database with
     * all tables under this name. Empty: it has to make one whenever it needs one.
     */
    default String tablesVersion() {
        return "";
    }

    /** Opens a store that takes all connections from one source. */
    default Store open(@Nullable DataSource dataSource, MusterConfig config) {
        return open(dataSource, null, config);
    }
}
