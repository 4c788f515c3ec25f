package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPostgresIT {
    @TempDir
    Path folder;

    @Test
    void asksForThePasswordThatIsInItsUrl() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
            String withPassword = server.jdbcUrl();
            assertThat(withPassword).contains("&password=" + server.password());
            assertThat(server.password()).hasSizeGreaterThan(20);
            String without = withPassword.replaceAll("&password=.*", "");
            assertThatThrownBy(() -> DriverManager.getConnection(without)).hasMessageContaining("password");
            assertThatThrownBy(() -> DriverManager.getConnection(without + "&password=wrong"))
                    .hasMessageContaining("password authentication failed");
            assertThat(Files.getPosixFilePermissions(server.dataDirectory().resolve("pgdata/muster_password")))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void temporaryServerAnswersAndLeavesNothingBehind() {
        EmbeddedPostgres server = EmbeddedPostgres.builder().start();
        assertThat(new Sql(server.jdbcUrl()).query("SELECT current_user")).isEqualTo("postgres");
        assertThat(server.dataDirectory().resolve("server.log")).exists();

        server.close();
        server.close();

        assertGone(server.pid());
        assertThat(server.dataDirectory()).doesNotExist();
        assertThatThrownBy(server::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void settingsSuitTestsUnlessDurableIsAskedFor() {
        try (EmbeddedPostgres test = EmbeddedPostgres.builder()
                        .setting("work_mem", "7MB")
                        .setting("app.motto", "it's a \\ fine day")
                        .start();
                EmbeddedPostgres durable =
                        EmbeddedPostgres.builder().durable(true).start()) {
            Sql onTest = new Sql(test.jdbcUrl());
            Sql onDurable = new Sql(durable.jdbcUrl());
            for (String safeguard : new String[] {"fsync", "full_page_writes"}) {
                assertThat(onTest.query("SHOW " + safeguard)).isEqualTo("off");
                assertThat(onDurable.query("SHOW " + safeguard)).isEqualTo("on");
            }
            assertThat(onTest.query("SHOW work_mem")).isEqualTo("7MB");
            assertThat(onTest.query("SHOW app.motto")).isEqualTo("it's a \\ fine day");
            assertThat(onTest.query("SHOW max_connections")).isEqualTo("200");
            assertThat(onTest.query("SHOW listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(onTest.query("SELECT reset_val FROM pg_settings WHERE name = 'unix_socket_directories'"))
                    .isEmpty();
            assertThat(onDurable.query("SHOW max_wal_size")).isEqualTo("4GB");
        }
    }

    /** Root may make no namespaces in most containers. The same folder may be used here and there. */
    @Test
    void rootRunsItAsNobodyWhereThereAreNoNamespaces() throws Exception {
        assumeTrue(ServerUser.isRoot(), "this is not root");
        Installation asNobody = Installation.install(Cache.ofUser(), ServerUser.NOBODY);
        Path kept = folder.resolve("kept");
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().dataDirectory(kept);
        try (EmbeddedPostgres usual = builder.start()) {
            new Sql(usual.jdbcUrl()).execute("CREATE TABLE kept AS SELECT 42 AS answer");
        }

        try (EmbeddedPostgres server = builder.installation(asNobody).start()) {
            assertThat(ProcessHandle.of(server.pid()).orElseThrow().info().user())
                    .contains("nobody");
            assertThat(new Sql(server.jdbcUrl()).query("SELECT answer FROM kept"))
                    .isEqualTo("42");
            server.restartImmediate();
            assertThat(new Sql(server.jdbcUrl()).query("SELECT answer FROM kept"))
                    .isEqualTo("42");
        }
        try (EmbeddedPostgres usual =
                EmbeddedPostgres.builder().dataDirectory(kept).start()) {
            assertThat(new Sql(usual.jdbcUrl()).query("SELECT answer FROM kept"))
                    .isEqualTo("42");
        }
        EmbeddedPostgres temporary =
                EmbeddedPostgres.builder().installation(asNobody).start();
        temporary.close();
        assertThat(temporary.dataDirectory()).doesNotExist();
    }

    @Test
    void rootTakesNobodysDataAway() throws Exception {
        assumeTrue(ServerUser.isRoot(), "this is not root");
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().dataDirectory(folder);
        builder.start().close();
        Path data = folder.resolve("pgdata");
        Files.setAttribute(data, "unix:uid", 4_711);

        assertThatThrownBy(builder::start)
                .isInstanceOf(EmbeddedPostgresException.class)
                .hasMessageContaining("belongs to the user 4711: run as that user, or use another folder");

        assertThat(Files.getAttribute(data, "unix:uid")).isEqualTo(4_711);
    }

    @Test
    void keepsDataInAFolderBetweenRuns() {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().dataDirectory(folder.resolve("new one"));
        try (EmbeddedPostgres server = builder.start()) {
            new Sql(server.jdbcUrl()).execute("CREATE TABLE kept AS SELECT 42 AS answer");
        }
        try (EmbeddedPostgres server = builder.start()) {
            assertThat(new Sql(server.jdbcUrl()).query("SELECT answer FROM kept"))
                    .isEqualTo("42");
            assertThat(server.dataDirectory().resolve("server.log")).content().doesNotContain("system is shut down");
            assertThat(server.dataDirectory().resolve("server.log.1")).content().contains("system is shut down");
        }
        assertThat(folder.resolve("new one/pgdata/PG_VERSION")).exists();
    }

    @Test
    void refusesASecondServerOnTheSameFolder() {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().dataDirectory(folder);
        try (EmbeddedPostgres server = builder.start()) {
            assertThatThrownBy(builder::start)
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining(folder.toString())
                    .hasMessageContaining("process " + server.pid());
            assertThat(new Sql(server.jdbcUrl()).query("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void onlyOneOfTwoConcurrentStartsGetsTheFolder() {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().dataDirectory(folder);
        CompletableFuture<EmbeddedPostgres> one = CompletableFuture.supplyAsync(builder::start);
        CompletableFuture<EmbeddedPostgres> two = CompletableFuture.supplyAsync(builder::start);

        await().until(() -> one.isDone() && two.isDone());
        assertThat(one.isCompletedExceptionally()).isNotEqualTo(two.isCompletedExceptionally());
        try (EmbeddedPostgres server = (one.isCompletedExceptionally() ? two : one).join()) {
            assertThat(new Sql(server.jdbcUrl()).query("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void immediateRestartKeepsThePortAndWhatWasCommitted() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start();
                Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
            Sql sql = new Sql(server.jdbcUrl());
            sql.execute("CREATE TABLE kept AS SELECT 42 AS answer");
            long before = server.pid();

            server.restartImmediate();

            assertThat(connection.isValid(5)).isFalse();
            assertThat(server.pid()).isNotEqualTo(before);
            assertThat(sql.query("SELECT answer FROM kept")).isEqualTo("42");
        }
    }

    @Test
    void canBeStoppedAndStartedAgain() {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
            Sql sql = new Sql(server.jdbcUrl());
            assertThatThrownBy(server::start).hasMessageContaining("already runs");

            server.stopImmediate();
            server.stopImmediate();
            assertThatThrownBy(() -> sql.query("SELECT 1")).hasRootCauseMessage("Connection refused");

            server.start();
            assertThat(sql.query("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void canBeStartedAgainAfterItWasKilled() {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
            long pid = server.pid();
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();

            server.start();

            assertThat(new Sql(server.jdbcUrl()).query("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void serversStartSideBySide() {
        CompletableFuture<EmbeddedPostgres> one =
                CompletableFuture.supplyAsync(() -> EmbeddedPostgres.builder().start());
        CompletableFuture<EmbeddedPostgres> two =
                CompletableFuture.supplyAsync(() -> EmbeddedPostgres.builder().start());
        try (EmbeddedPostgres first = one.join();
                EmbeddedPostgres second = two.join()) {
            assertThat(first.port()).isNotEqualTo(second.port());
            assertThat(new Sql(first.jdbcUrl()).query("SHOW port")).isEqualTo(String.valueOf(first.port()));
            assertThat(new Sql(second.jdbcUrl()).query("SHOW port")).isEqualTo(String.valueOf(second.port()));
        }
    }

    @Test
    void saysWhatTheServerSaidWhenItDoesNotComeUp() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            EmbeddedPostgres.Builder builder =
                    EmbeddedPostgres.builder().dataDirectory(folder).port(taken.getLocalPort());
            assertThatThrownBy(builder::start)
                    .isInstanceOf(EmbeddedPostgresException.class)
                    .hasMessageContaining("Address already in use")
                    .hasMessageContaining(String.valueOf(taken.getLocalPort()));
        }
        assertThat(Files.exists(folder.resolve("pgdata/postmaster.pid"))).isFalse();
    }

    @Test
    void signalsToTheWholeProcessGroupDoNotEndTheKeeper() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
            String keeper = String.valueOf(server.keeper().pid());
            for (String signal : new String[] {"-INT", "-HUP", "-TERM", "-QUIT"}) {
                assertThat(new ProcessBuilder("kill", signal, keeper).start().waitFor())
                        .isZero();
            }
            server.restartImmediate();
            assertThat(new Sql(server.jdbcUrl()).query("SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void sharedServerIsStartedOnce() {
        assertThat(EmbeddedPostgres.shared()).isSameAs(EmbeddedPostgres.shared());
    }

    @Test
    void closeDoesNotWaitForOpenTransactions() throws Exception {
        EmbeddedPostgres server =
                EmbeddedPostgres.builder().dataDirectory(folder).durable(true).start();
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("CREATE TABLE unfinished (id int)");
            CompletableFuture.runAsync(server::close).get(2, TimeUnit.MINUTES);
        }
        assertGone(server.pid());
    }

    private static void assertGone(long pid) {
        await().until(() -> ProcessHandle.of(pid).isEmpty());
    }
}
