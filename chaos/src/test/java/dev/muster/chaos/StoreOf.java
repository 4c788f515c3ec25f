package dev.muster.chaos;

import dev.muster.config.MusterConfig;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import java.util.ServiceLoader;
import javax.sql.DataSource;

/** Muster's store without a node. */
final class StoreOf {
    private StoreOf() {}

    static Store dataSource(DataSource dataSource) {
        return ServiceLoader.load(StoreProvider.class)
                .findFirst()
                .orElseThrow()
                .open(dataSource, MusterConfig.defaults());
    }
}
