package dev.muster.chaos;

import dev.muster.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The machine's own PgBouncer in transaction mode before one PostgreSQL, on 127.0.0.1. */
public final class PgBouncer implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(10);

    private final Process process;
    private final int port;
    private final Path folder;

    private PgBouncer(Process process, int port, Path folder) {
        this.process = process;
        this.port = port;
        this.folder = folder;
    }

    /** The program, if it is installed here. */
    public static Optional<Path> program() {
        return Stream.concat(
                        Stream.of(System.getenv().getOrDefault("PATH", "").split(":")),
                        Stream.of("/usr/sbin", "/usr/bin"))
                .map(directory -> Path.of(directory, "pgbouncer"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** @param server the port of the tests' own PostgreSQL on 127.0.0.1 */
    public static PgBouncer start(int server) {
        try {
            Path folder = Files.createTempDirectory("muster-pgbouncer-");
            int port = freePort();
            Path settings = Files.writeString(folder.resolve("pgbouncer.ini"), """
                    [databases]
                    * = host=127.0.0.1 port=%d user=postgres password=%s
                    [pgbouncer]
                    listen_addr = 127.0.0.1
                    listen_port = %d
                    unix_socket_dir =
                    auth_type = any
                    pool_mode = transaction
                    default_pool_size = 4
                    max_client_conn = 200
                    ignore_startup_parameters = extra_float_digits
                    """.formatted(
                            server, EmbeddedPostgres.shared().password(), port));
            List<String> command =
                    new ArrayList<>(List.of(program().orElseThrow().toString(), settings.toString()));
            if (System.getProperty("user.name").equals("root")) {
                // It refuses to run as root.
                command.addAll(List.of("--user", "nobody"));
                settings.toFile().setReadable(true, false);
                folder.toFile().setExecutable(true, false);
            }
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile())
                    .start();
            PgBouncer bouncer = new PgBouncer(process, port, folder);
            bouncer.awaitListening();
            return bouncer;
        } catch (IOException e) {
            throw new IllegalStateException("PgBouncer did not start", e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitListening() throws IOException {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() - deadline >= 0) {
                    String said = Files.readString(folder.resolve("log"));
                    close();
                    throw new IllegalStateException("PgBouncer does not listen:\n" + said, e);
                }
            }
        }
    }

    /** This pooler's address instead of the server's, in a JDBC URL. */
    public String url(String jdbcUrl) {
        return jdbcUrl.replaceFirst("//[^/]+/", "//127.0.0.1:" + port + "/");
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            for (Path file : List.of(folder.resolve("log"), folder.resolve("pgbouncer.ini"), folder)) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
