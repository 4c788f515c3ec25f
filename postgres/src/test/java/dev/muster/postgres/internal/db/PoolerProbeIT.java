package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.runtime.MusterException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Connections that share one session, as those through a pooler in transaction mode may. */
class PoolerProbeIT {
    @Test
    void aPoolerIsRefusedBeforeAnythingIsMigrated() throws Exception {
        String name = "pooled_" + Long.toHexString(System.nanoTime());
        String url = EmbeddedPostgres.shared().databases().create(name);
        try (Connection session = DriverManager.getConnection(url)) {
            try (PostgresStore store = new PostgresStore(sharing(session), MusterConfig.defaults())) {
                assertThatThrownBy(store::migrate)
                        .isInstanceOf(MusterException.class)
                        .hasMessageContaining("a pooler in transaction mode");
            }
            ResultSet rows = session.createStatement().executeQuery("SELECT to_regclass('muster_migrations') IS NULL");
            rows.next();
            assertThat(rows.getBoolean(1)).isTrue();
        } finally {
            EmbeddedPostgres.shared().databases().drop(name);
        }
    }

    private static DataSource sharing(Connection session) {
        Connection shared = proxy(Connection.class, session);
        return (DataSource) Proxy.newProxyInstance(
                PoolerProbeIT.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, arguments) -> method.getName().equals("getConnection") ? shared : null);
    }

    /** Closing it ends nothing. */
    private static <T> T proxy(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                PoolerProbeIT.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
