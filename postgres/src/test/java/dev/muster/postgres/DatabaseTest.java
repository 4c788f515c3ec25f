package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.DatabaseUnavailable;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class DatabaseTest {

    @Test
    void aConnectionThatBreaksAsItIsTakenGoesBackToItsPool() {
        AtomicBoolean closed = new AtomicBoolean();
        Connection broken = proxy(Connection.class, method -> {
            if (method.equals("setNetworkTimeout")) {
                throw new SQLException("the connection is broken", "08006");
            }
            closed.compareAndSet(false, method.equals("close"));
            return switch (method) {
                case "isWrapperFor" -> false;
                case "getAutoCommit" -> true;
                case "getNetworkTimeout" -> 0;
                default -> null;
            };
        });
        Database database = new Database(proxy(DataSource.class, method -> broken), new SqlFiles("public"));

        assertThatThrownBy(() -> database.inRawTransaction(connection -> "unreached"))
                .isInstanceOf(DatabaseUnavailable.class);

        assertThat(closed).isTrue();
    }

    @FunctionalInterface
    private interface Answer {
        Object to(String method) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> answer.to(method.getName())));
    }
}
