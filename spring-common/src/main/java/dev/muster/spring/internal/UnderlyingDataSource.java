package dev.muster.spring.internal;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Looks behind the proxies that applications put around a {@code DataSource}. */
public final class UnderlyingDataSource {
    private static final int MAX_LAYERS = 10;

    private UnderlyingDataSource() {}

    /**
     * The {@code DataSource} whose connections belong to nobody's transaction: behind proxies that return the connection of the current
     * transaction, or connect later.
     */
    static DataSource withoutTransactions(DataSource dataSource) {
        DataSource current = dataSource;
        while (current instanceof TransactionAwareDataSourceProxy || current instanceof LazyConnectionDataSourceProxy) {
            DataSource target = ((DelegatingDataSource) current).getTargetDataSource();
            if (target == null) {
                return current;
            }
            current = target;
        }
        return current;
    }

    /** Whether both lead to the same pool, whatever is around it. */
    public static boolean isSame(DataSource one, DataSource other) {
        return one == other || innermost(one) == innermost(other);
    }

    /** What is left after all wrappers that can be looked behind are taken away: usually the pool. */
    static DataSource innermost(DataSource dataSource) {
        DataSource current = dataSource;
        for (int layer = 0; layer < MAX_LAYERS; layer++) {
            DataSource behind = behind(current);
            if (behind == current) {
                break;
            }
            current = behind;
        }
        return current;
    }

    private static DataSource behind(DataSource dataSource) {
        if (dataSource instanceof DelegatingDataSource delegating) {
            DataSource target = delegating.getTargetDataSource();
            return target == null ? dataSource : target;
        }
        if (AopProxyUtils.getSingletonTarget(dataSource) instanceof DataSource target) {
            return target;
        }
        try {
            return dataSource.unwrap(DataSource.class);
        } catch (SQLException | RuntimeException e) {
            return dataSource;
        }
    }
}
