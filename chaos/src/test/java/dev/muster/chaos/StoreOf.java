package dev.muster.chaos;

import dev.muster.Store;
import dev.muster.StoreProvider;
import dev.muster.config.MusterConfig;
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
