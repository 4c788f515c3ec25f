package dev.muster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.config.MusterConfig;
import dev.muster.postgres.internal.PostgresConnections;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.KnownServers;
import dev.muster.postgres.internal.db.KnownServers.Server;
import dev.muster.postgres.internal.db.PromptSocketFactory;
import dev.muster.postgres.internal.db.SqlFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.core.Oid;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.PgConnection;

/** What nodes, commands and applications get from a URL. */
class PostgresConnectionsIT extends OnFreshDatabase {
    private static PostgresConnections to(String url, String profile) {
        MusterConfig config = MusterConfig.defaults().with(Map.of("database.profile", profile));
        return new PostgresConnections(url, config.database());
    }

    @Test
    void thePortableProfilePreparesNothing() throws SQLException {
        try (HikariDataSource pool = to(database.url(), "portable").pool("app", 1);
                Connection connection = pool.getConnection()) {
            assertThat(connection.unwrap(PGConnection.class).getPrepareThreshold())
                    .isZero();
        }
        try (HikariDataSource pool = to(database.url(), "full").pool("app", 1);
                Connection connection = pool.getConnection()) {
            assertThat(connection.unwrap(PGConnection.class).getPrepareThreshold())
                    .isPositive();
        }
    }

    @Test
    void whatTheUrlSaysHolds() throws SQLException {
        String url = database.url() + (database.url().contains("?") ? "&" : "?")
                + "socketTimeout=7&ApplicationName=shop&binaryTransferEnable=&tcpKeepAlive=false";
        try (Connection connection = to(url, "full").connect();
                Statement statement = connection.createStatement()) {
            assertThat(connection.getNetworkTimeout()).isEqualTo(7_000);
            assertThat(applicationName(statement)).isEqualTo("shop");
            assertThat(connection.unwrap(PGConnection.class).getParameterStatus("application_name"))
                    .isEqualTo("shop");
            assertThat(connection.unwrap(PgConnection.class).getQueryExecutor().useBinaryForReceive(Oid.UUID_ARRAY))
                    .isFalse();
        }
        try (Connection connection = to(database.url(), "full").connect();
                Statement statement = connection.createStatement()) {
            assertThat(connection.getNetworkTimeout()).as("our own").isEqualTo(60_000);
            assertThat(applicationName(statement)).isEqualTo("muster");
            assertThat(connection.unwrap(PgConnection.class).getQueryExecutor().useBinaryForReceive(Oid.UUID_ARRAY))
                    .isTrue();
        }
    }

    /** Otherwise the driver hands over each notification a millisecond late. */
    @Test
    void theDriverUsesSocketsThatAnswerAtOnceUnlessTheUrlNamesOthers() {
        assertThat(new PrimaryDataSource(database.url()).settings().getSocketFactory())
                .isEqualTo(PromptSocketFactory.class.getName());
        assertThat(new PrimaryDataSource("jdbc:postgresql://localhost/app?socketFactory=the.Hosts")
                        .settings()
                        .getSocketFactory())
                .isEqualTo("the.Hosts");
    }

    private static String applicationName(Statement statement) throws SQLException {
        ResultSet rows = statement.executeQuery("SELECT current_setting('application_name')");
        rows.next();
        return rows.getString(1);
    }

    /** As with two poolers before one server: the first one answers nobody for a moment. */
    @Test
    void connectionsThroughAnotherAddressOfTheSameServerLiveOn() throws SQLException {
        PGSimpleDataSource address = new PGSimpleDataSource();
        address.setUrl(database.url());
        int port = address.getPortNumbers()[0];
        String both = database.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + port + ",localhost:" + port + "/");
        KnownServers servers =
                KnownServers.named(List.of(new Server("127.0.0.1", port), new Server("localhost", port)));
        PostgresConnections connections = to(both, "full");
        try (Connection first = connections.connect()) {
            servers.silent(new Server("127.0.0.1", port));
            try (Connection second = connections.connect()) {
                assertThat(servers.inOrder().get(0)).isEqualTo(new Server("localhost", port));
                assertThat(second.isValid(5)).isTrue();
                assertThat(first.isValid(5)).isTrue();
            }
        }
    }

    /** It accepts connections, as the kernel of a frozen server does, and says nothing. */
    @Test
    void aServerThatDoesNotAnswerKeepsNobodyFromTheNext() throws Exception {
        try (ServerSocket silent = silentServer()) {
            String both = database.url().replaceFirst("//", "//127.0.0.1:" + silent.getLocalPort() + ",");
            PostgresConnections connections = to(both, "full");
            List<Integer> callers = new CopyOnWriteArrayList<>();
            acceptConnections(silent, callers);
            try (HikariDataSource pool = connections.pool("app", 1);
                    Connection first = pool.getConnection()) {
                assertThat(first.isValid(1)).isTrue();
                assertThat(first.getNetworkTimeout()).isEqualTo(60_000);
            }
            int asked = settled(silent, callers);
            assertThat(asked).as("it was asked, and then left alone").isPositive();
            connections.connect().close();
            assertThat(settled(silent, callers))
                    .as("the primary is asked first")
                    .isEqualTo(asked);
        }
    }

    @Test
    void whenNobodyAnswersItSaysWhatIsWrongWithEach() throws Exception {
        try (ServerSocket silent = silentServer()) {
            PostgresConnections connections = to(
                    "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort()
                            + ",no-such-host.invalid/app?user=app&connectTimeout=1",
                    "full");
            assertThatThrownBy(connections::connect)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("127.0.0.1:" + silent.getLocalPort() + " does not answer")
                    .hasMessageContaining("no-such-host.invalid:5432 is a host that nobody knows");
        }
    }

    @Test
    void aConnectionThatRefusedAWriteIsNotUsedAgain() throws SQLException {
        try (HikariDataSource pool = to(database.url(), "full").pool("app", 1)) {
            int before;
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                before = backend(statement);
                statement.execute("SET default_transaction_read_only = on");
                assertThatThrownBy(() -> statement.execute("CREATE TABLE refused (id int)"))
                        .isInstanceOf(SQLException.class);
            }
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(backend(statement)).isNotEqualTo(before);
                statement.execute("CREATE TABLE accepted (id int)");
            }
        }
    }

    /** On a pool of the host's, whose settings are not ours: what Muster was refused there is ended. */
    @Test
    void norIsOneOfTheHostsPool() throws SQLException {
        Database muster = new Database(database.dataSource(), new SqlFiles("public"));
        int before = muster.once(connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET default_transaction_read_only = on");
                return backend(statement);
            }
        });
        assertThatThrownBy(() -> muster.once(connection -> {
                    try (Statement statement = connection.createStatement()) {
                        return statement.execute("CREATE TABLE refused (id int)");
                    }
                }))
                .hasMessageContaining("read-only");
        int after = muster.once(connection -> {
            try (Statement statement = connection.createStatement()) {
                return backend(statement);
            }
        });
        assertThat(after).isNotEqualTo(before);
    }

    private static int backend(Statement statement) throws SQLException {
        ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()");
        rows.next();
        return rows.getInt(1);
    }

    private static ServerSocket silentServer() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** How many connections have come so far. They are accepted in their order, so all are known once one of our own is. */
    private static int settled(ServerSocket silent, List<Integer> callers) throws IOException {
        try (Socket own = new Socket(silent.getInetAddress(), silent.getLocalPort())) {
            await().until(() -> callers.contains(own.getLocalPort()));
            callers.remove(Integer.valueOf(own.getLocalPort()));
            return callers.size();
        }
    }

    /**
     * Accepts connections and says nothing, until the socket is closed.
     *
     * @param callers gets the port of each client
     */
    private static void acceptConnections(ServerSocket silent, List<Integer> callers) {
        Thread thread = new Thread(() -> {
            List<Socket> open = new ArrayList<>();
            try {
                while (true) {
                    Socket accepted = silent.accept();
                    open.add(accepted);
                    callers.add(accepted.getPort());
                }
            } catch (IOException e) {
                open.forEach(PostgresConnectionsIT::close);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
