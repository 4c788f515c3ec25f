package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TestDatabasesIT {
    private final EmbeddedPostgres server = EmbeddedPostgres.shared();
    private final AtomicInteger prepared = new AtomicInteger();

    private void prepare(String url) {
        prepared.incrementAndGet();
        new Sql(url).execute("CREATE TABLE item AS SELECT 'from the template' AS name");
    }

    @Test
    void eachCopyIsItsOwn() {
        TestDatabases databases = new TestDatabases(server, "own", this::prepare);
        Sql one = new Sql(databases.create());
        Sql two = new Sql(databases.create());

        one.execute("UPDATE item SET name = 'changed'");

        assertThat(one.query("SELECT name FROM item")).isEqualTo("changed");
        assertThat(two.query("SELECT name FROM item")).isEqualTo("from the template");
    }

    @Test
    void preparesOncePerServerWhoeverAsksAndHoweverMany() {
        TestDatabases first = new TestDatabases(server, "once", this::prepare);
        TestDatabases second = new TestDatabases(server, "once", this::prepare);
        List<CompletableFuture<String>> urls = IntStream.range(0, 12)
                .mapToObj(i -> CompletableFuture.supplyAsync(i % 2 == 0 ? first::create : second::create))
                .toList();

        assertThat(urls.stream().map(CompletableFuture::join))
                .doesNotHaveDuplicates()
                .allSatisfy(url ->
                        assertThat(new Sql(url).query("SELECT name FROM item")).isEqualTo("from the template"));
        assertThat(prepared).hasValue(1);
    }

    @Test
    void failedPreparationIsTriedAgain() {
        TestDatabases databases = new TestDatabases(server, "again", url -> {
            prepare(url);
            if (prepared.get() == 1) {
                throw new IllegalStateException("migration failed");
            }
        });
        assertThatThrownBy(databases::create).hasMessage("migration failed");
        assertThat(new Sql(databases.create()).query("SELECT count(*) FROM item"))
                .isEqualTo("1");
    }

    @Test
    void connectionsLeftOpenByThePreparationAreEnded() throws Exception {
        try (LeftOpen leftOpen = new LeftOpen()) {
            TestDatabases databases = new TestDatabases(server, "open", leftOpen::open);
            assertThat(new Sql(databases.create()).query("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void dropEndsConnections() throws Exception {
        TestDatabases databases = new TestDatabases(server, "drop", this::prepare);
        String url = databases.create();
        try (Connection connection = DriverManager.getConnection(url)) {
            databases.drop(url);
            assertThat(connection.isValid(5)).isFalse();
        }
        assertThatThrownBy(() -> new Sql(url).query("SELECT 1")).rootCause().hasMessageContaining("does not exist");
        assertThatThrownBy(() -> databases.drop(url)).hasMessageContaining("dropped already");
    }

    @Test
    void namesThatWouldNeedQuotingAreRefused() {
        assertThatThrownBy(() -> new TestDatabases(server, "a-b", this::prepare))
                .hasMessageContaining("'a-b'");
        assertThatThrownBy(() -> server.databases().drop("x; DROP DATABASE y"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static final class LeftOpen implements AutoCloseable {
        private final List<Connection> connections = new ArrayList<>();

        void open(String url) {
            try {
                connections.add(DriverManager.getConnection(url));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws SQLException {
            for (Connection connection : connections) {
                connection.close();
            }
        }
    }
}
