package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One PostgreSQL server on 127.0.0.1, which ends with this JVM at the latest, even after a crash.
 *
 * <p>Thread-safe. A server that is not closed ends with the JVM.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final int PORT_ATTEMPTS = 3;
    private static final long DEATH_SECONDS = 1;
    private static final long BURIAL_SECONDS = 30;
    private static @Nullable EmbeddedPostgres shared;

    private final ReentrantLock lock = new ReentrantLock();
    private final DataFolder folder;
    private final Keeper keeper;
    private final Databases databases = new Databases(this);
    private final Templates templates = new Templates(this);
    private String password = "";
    private int port;
    private volatile long pid = -1;
    private boolean closed;

    private EmbeddedPostgres(DataFolder folder, Keeper keeper) {
        this.folder = folder;
        this.keeper = keeper;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The server that all tests of this JVM share. It is not durable, is started at the first call and stopped when the JVM ends,
     * after all shutdown hooks, so that objects closed in a hook still have their database.
     */
    public static synchronized EmbeddedPostgres shared() {
        return sharedWith(null);
    }

    /** The same server. If this call starts it, its data comes with this template. */
    static synchronized EmbeddedPostgres sharedWith(@Nullable KeptTemplate template) {
        if (shared == null || shared.isClosed()) {
            shared = builder().durable(false).template(template).start();
        }
        return shared;
    }

    /** The URL of the database {@code postgres}, including user and password. */
    public String jdbcUrl() {
        return jdbcUrl("postgres");
    }

    /** The URL of a database of this server, including user and password. The database need not exist. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + Databases.requireName(database) + "?user=postgres"
                + (password.isEmpty() ? "" : "&password=" + password);
    }

    /** The password of the superuser {@code postgres}. Empty for old data folders, whose servers ask for none. */
    public String password() {
        return password;
    }

    /** The port on 127.0.0.1; it stays the same when the server is stopped and started again. */
    public int port() {
        return port;
    }

    /** The process id of the server's main process since the last start. */
    public long pid() {
        return pid;
    }

    /** The folder with the data and the log; {@link #close()} deletes it if it is temporary. */
    public Path dataDirectory() {
        return folder.root();
    }

    /** Creates and drops databases of this server. */
    public Databases databases() {
        return databases;
    }

    /** Stops without a checkpoint and starts again, so that clients see what they see in a crash and its recovery. */
    public void restartImmediate() {
        lock.lock();
        try {
            stopImmediate();
            start();
        } finally {
            lock.unlock();
        }
    }

    /** Stops as a crash would, without a checkpoint; {@link #start()} recovers. Does nothing when already stopped. */
    public void stopImmediate() {
        lock.lock();
        try {
            requireOpen();
            keeper.stopImmediate();
        } catch (IOException e) {
            throw new EmbeddedPostgresException("Cannot stop " + this + ": stop process " + pid + " by hand", e);
        } finally {
            lock.unlock();
        }
    }

    /** Starts again, on the same port and data, after {@link #stopImmediate()} or after the server was killed. */
    public void start() {
        lock.lock();
        try {
            requireOpen();
            awaitEndOfKilledServer(DEATH_SECONDS);
            requireNoServer(folder);
            awaitEndOfKilledServer(BURIAL_SECONDS);
            if (!keeper.start(port)) {
                throw notStarted(null);
            }
            pid = folder.runningServer().orElseThrow(() -> notStarted(null));
        } catch (IOException e) {
            throw notStarted(e);
        } finally {
            lock.unlock();
        }
    }

    /** Stops the server, with a checkpoint if its data is kept; deletes temporary data. May be called again. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                databases.close();
                keeper.close();
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException("Cannot close " + this + ": stop process " + pid + " by hand", e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "PostgreSQL in " + folder.root() + " on port " + port;
    }

    Templates templates() {
        return templates;
    }

    Keeper keeper() {
        return keeper;
    }

    private void startOn(int wanted) {
        port = wanted == 0 ? FreePort.choose() : wanted;
        for (int attempt = 1; ; attempt++) {
            try {
                start();
                return;
            } catch (EmbeddedPostgresException e) {
                boolean lostRaceForPort = wanted == 0 && attempt < PORT_ATTEMPTS && !FreePort.isFree(port);
                if (!lostRaceForPort) {
                    throw e;
                }
                port = FreePort.choose();
            }
        }
    }

    /** A server that was killed holds its folder until the system has removed the process. */
    private void awaitEndOfKilledServer(long seconds) {
        Optional<ProcessHandle> killed = folder.isClaimed() ? ProcessHandle.of(pid) : Optional.empty();
        if (killed.isEmpty()) {
            return;
        }
        try {
            killed.get().onExit().get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            log.debug("process {} of {} is still there after {} s", pid, this, seconds);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(this + " is closed: start a new one with EmbeddedPostgres.builder()");
        }
    }

    private EmbeddedPostgresException notStarted(@Nullable Throwable cause) {
        return new EmbeddedPostgresException(
                "Cannot start " + this + ". The end of " + folder.log().getFileName() + ":\n" + folder.endOfLog(),
                cause);
    }

    private static void requireNoServer(DataFolder folder) throws IOException {
        OptionalLong running = folder.runningServer();
        if (running.isPresent()) {
            throw new EmbeddedPostgresException("A PostgreSQL already runs on " + folder.root() + ", process "
                    + running.getAsLong()
                    + ": stop the program that started it, or use another folder. If that program was killed,"
                    + " PostgreSQL ends a moment later: try again");
        }
    }

    /** Options of a server; each call of {@link #start()} starts another one. */
    public static final class Builder {
        private @Nullable Path dataDirectory;
        private int port;
        private boolean durable;
        private @Nullable KeptTemplate template;
        private @Nullable Installation installation;
        private final Settings settings = new Settings();

        private Builder() {}

        /** The folder that keeps the data between runs, created if absent. Default: a temporary folder, deleted on close. */
        public Builder dataDirectory(Path dataDirectory) {
            this.dataDirectory = dataDirectory;
            return this;
        }

        /** The port on 127.0.0.1. Default: 0, which means any free port. */
        public Builder port(int port) {
            if (port < 0 || port > 65_535) {
                throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
            }
            this.port = port;
            return this;
        }

        /** Whether a commit survives a crash of the machine, which makes the server slower. Default: false. */
        public Builder durable(boolean durable) {
            this.durable = durable;
            return this;
        }

        /** A database that new data should have; not if it is durable. */
        Builder template(@Nullable KeptTemplate template) {
            this.template = template;
            return this;
        }

        /** Default: that of this program's user. */
        Builder installation(Installation other) {
            this.installation = other;
            return this;
        }

        /** A server setting, as in postgresql.conf; it overrides Muster's own choice. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /**
         * Starts the server and returns when it accepts connections.
         *
         * @throws EmbeddedPostgresException if a server already runs on the folder, or this one does not start
         */
        public EmbeddedPostgres start() {
            long begin = System.nanoTime();
            try {
                Installation programs = installation == null ? Installation.ofUser() : installation;
                DataFolder folder = dataDirectory == null
                        ? DataFolder.createTemporary(durable)
                        : DataFolder.createKept(dataDirectory);
                requireNoServer(folder);
                Keeper keeper = Keeper.launch(
                        programs,
                        folder.data(),
                        folder.log(),
                        folder.temporary() ? folder.root().toString() : "");
                EmbeddedPostgres server = new EmbeddedPostgres(folder, keeper);
                try {
                    folder.setAsideLog();
                    if (folder.initialise(programs, durable, template)) {
                        server.templates.found(template.key());
                    }
                    folder.configure(settings, durable);
                    server.password = folder.password();
                    server.startOn(port);
                } catch (IOException | RuntimeException e) {
                    closeQuietly(server, e);
                    throw e;
                }
                log.debug("{} pid={} started in {} ms", server, server.pid, (System.nanoTime() - begin) / 1_000_000);
                return server;
            } catch (IOException e) {
                throw new EmbeddedPostgresException(
                        "Cannot prepare PostgreSQL" + (dataDirectory == null ? "" : " in " + dataDirectory) + ": " + e,
                        e);
            }
        }

        private static void closeQuietly(EmbeddedPostgres server, Exception reason) {
            try {
                server.close();
            } catch (RuntimeException e) {
                reason.addSuppressed(e);
            }
        }
    }
}
