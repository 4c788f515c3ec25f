package dev.muster.postgres.internal;

import dev.muster.config.MusterConfig;
import dev.muster.contracts.internal.FreshStore;
import dev.muster.contracts.internal.StoreContract;
import dev.muster.internal.provider.Store;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.postgresql.ds.PGSimpleDataSource;

/** PostgreSQL keeps the contract of every port. What only PostgreSQL has is tested by the other classes of this module. */
@Order(1)
class PostgresStoreIT extends StoreContract {

    @Override
    protected FreshStore open() {
        return new Fresh();
    }

    private static final class Fresh implements FreshStore {
        private final FreshDatabase database = new FreshDatabase();
        private final PostgresStore first = database.store();
        private final Map<Store, String> others = new LinkedHashMap<>();

        Fresh() {
            first.connect(Store.Events.ignored());
        }

        @Override
        public Store store() {
            return first;
        }

        /** The application name tells its sessions from those of the others. */
        @Override
        public Store anotherNode() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(database.url());
            String name = "node_" + others.size();
            source.setApplicationName(name);
            PostgresStore store = new PostgresStore(source, MusterConfig.defaults());
            store.connect(Store.Events.ignored());
            others.put(store, name);
            return store;
        }

        @Override
        public void kill(Store node) {
            database.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE"
                    + " datname = current_database() AND application_name = '" + others.get(node) + "'");
            // The node is gone for good: it must not connect again.
            new Thread(node::close).start();
        }

        @Override
        public void advance(Duration by) {
            database.advance(by);
        }

        @Override
        public void stopClock() {
            database.stopClock();
        }

        @Override
        public Connection transaction() throws SQLException {
            return database.transaction();
        }

        @Override
        public void close() {
            others.keySet().forEach(Store::close);
            first.close();
            database.close();
        }
    }
}
