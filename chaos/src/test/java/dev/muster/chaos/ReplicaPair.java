package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import dev.muster.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A primary and a streaming standby of it, two real servers; the standby is a copy of the primary's stopped folder. */
final class ReplicaPair implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final String DATABASE = "pair";

    /** Where there is one, writing takes no time. */
    private static final Path MEMORY = Path.of("/dev/shm");

    private final Path folder;
    private final int primaryPort;
    private final String password;
    private EmbeddedPostgres primary;
    private final EmbeddedPostgres standby;

    ReplicaPair() {
        try {
            this.folder = Files.isWritable(MEMORY)
                    ? Files.createTempDirectory(MEMORY, "muster-pair-")
                    : Files.createTempDirectory("muster-pair-");
            Path first = folder.resolve("first");
            try (EmbeddedPostgres single =
                    EmbeddedPostgres.builder().dataDirectory(first).start()) {
                single.databases().create(DATABASE);
                this.primaryPort = single.port();
                this.password = single.password();
            }
            Path second = folder.resolve("second");
            copy(first.resolve("pgdata"), second.resolve("pgdata"));
            Files.createFile(second.resolve("pgdata/standby.signal"));
            this.primary = startPrimary();
            this.standby = EmbeddedPostgres.builder()
                    .dataDirectory(second)
                    .setting(
                            "primary_conninfo",
                            "host=127.0.0.1 user=postgres password=" + password + " port=" + primaryPort)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private EmbeddedPostgres startPrimary() {
        return EmbeddedPostgres.builder()
                .dataDirectory(folder.resolve("first"))
                .port(primaryPort)
                .start();
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        List<Path> all;
        try (Stream<Path> files = Files.walk(from)) {
            all = files.toList();
        }
        for (Path file : all) {
            Path target = to.resolve(from.relativize(file).toString());
            Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    String primaryUrl() {
        return url(primaryPort);
    }

    int primaryPort() {
        return primaryPort;
    }

    int standbyPort() {
        return standby.port();
    }

    String standbyUrl() {
        return url(standby.port());
    }

    /** Both, the first one first. */
    String bothUrl() {
        return primaryUrl().replace(":" + primaryPort + "/", ":" + primaryPort + ",127.0.0.1:" + standby.port() + "/");
    }

    /** Both, the second one first. */
    String standbyFirstUrl() {
        return standbyUrl()
                .replace(":" + standby.port() + "/", ":" + standby.port() + ",127.0.0.1:" + primaryPort + "/");
    }

    private String url(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE + "?user=postgres&password=" + password;
    }

    /** Waits until the standby has everything that the primary has. */
    void awaitCaughtUp() {
        String end = text(primaryUrl(), "SELECT pg_current_wal_lsn()::text");
        await("the standby catches up")
                .atMost(SOON)
                .until(() -> text(standbyUrl(), "SELECT (pg_last_wal_replay_lsn() >= '" + end + "'::pg_lsn)::text")
                        .equals("true"));
    }

    /** From now on the standby hears nothing any more: what the primary commits is lost in a failover. */
    void cutReplication() {
        execute(standbyUrl(), "ALTER SYSTEM SET primary_conninfo = ''");
        execute(standbyUrl(), "SELECT pg_reload_conf()");
        await("the end of replication")
                .atMost(SOON)
                .until(() -> text(primaryUrl(), "SELECT count(*)::text FROM pg_stat_replication")
                        .equals("0"));
    }

    void promote() {
        execute(standbyUrl(), "SELECT pg_promote(true, 60)");
        await("promotion")
                .atMost(SOON)
                .until(() ->
                        text(standbyUrl(), "SELECT pg_is_in_recovery()::text").equals("false"));
    }

    void stopPrimary() {
        primary.stopImmediate();
    }

    void stopStandby() {
        standby.stopImmediate();
    }

    void startStandby() {
        standby.start();
    }

    /** From now on the primary accepts connections, as its kernel does, and answers nobody. */
    void freezePrimary() {
        ProcessHandle postmaster = postmaster();
        // The postmaster first: then it starts no more processes.
        NodeProcess.signal(postmaster.pid(), "STOP");
        postmaster.descendants().forEach(process -> NodeProcess.signal(process.pid(), "STOP"));
    }

    void resumePrimary() {
        ProcessHandle postmaster = postmaster();
        // The postmaster last: until then those that end stay where a signal finds them.
        postmaster.descendants().forEach(process -> NodeProcess.signal(process.pid(), "CONT"));
        NodeProcess.signal(postmaster.pid(), "CONT");
    }

    private ProcessHandle postmaster() {
        return ProcessHandle.of(primary.pid()).orElseThrow();
    }

    /** As if nothing had happened: it takes itself for the primary still. */
    void returnOldPrimary() {
        primary.start();
    }

    static void execute(String url, String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static String text(String url, String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        standby.close();
        primary.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
