package dev.muster;

import dev.muster.config.MusterConfig;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens a store. Muster finds it with {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /**
     * @param dataSource where connections come from; if null, the store opens {@code database.url} itself
     */
    Store open(@Nullable DataSource dataSource, MusterConfig config);
}
