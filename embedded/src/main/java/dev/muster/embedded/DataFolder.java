package dev.muster.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server's folder: its data and its log. */
record DataFolder(Path root, boolean temporary) {
    private static final Logger logger = LoggerFactory.getLogger(DataFolder.class);
    private static final int LOG_LINES = 20;
    private static final String TEMPORARY_NAME = "muster-postgres-";
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long MEMORY_ENOUGH_BYTES = 1L << 30;

    static DataFolder createKept(Path folder) throws IOException {
        return new DataFolder(Files.createDirectories(folder.toAbsolutePath().normalize()), false);
    }

    /** In memory if that is possible and the data need not be durable: copying a database there takes a tenth of the time. */
    static DataFolder createTemporary(boolean durable) throws IOException {
        Path folder = !durable && hasRoomInMemory()
                ? Files.createTempDirectory(MEMORY, TEMPORARY_NAME)
                : Files.createTempDirectory(TEMPORARY_NAME);
        return new DataFolder(folder.toAbsolutePath(), true);
    }

    private static boolean hasRoomInMemory() throws IOException {
        if (!Files.isWritable(MEMORY)) {
            return false;
        }
        long free = Files.getFileStore(MEMORY).getUsableSpace();
        if (free < MEMORY_ENOUGH_BYTES) {
            logger.warn(
                    "{} has {} MB free, less than the {} MB that a PostgreSQL for tests may need: it uses the disk, which is slower",
                    MEMORY,
                    free >> 20,
                    MEMORY_ENOUGH_BYTES >> 20);
            return false;
        }
        return true;
    }

    Path data() {
        return root.resolve("pgdata");
    }

    Path log() {
        return root.resolve("server.log");
    }

    /**
     * Initialises the data under another name and then renames it, so that an interrupted start leaves no half-made cluster.
     *
     * @param template a database that it should have, if it is not durable
     * @return whether it has that database
     */
    boolean initialise(Installation installation, boolean durable, @Nullable KeptTemplate template) throws IOException {
        if (Files.exists(data().resolve("PG_VERSION"))) {
            installation.own(data());
            return false;
        }
        Path aside = root.resolve("pgdata-" + UUID.randomUUID());
        try {
            boolean withTemplate = !durable && template != null && copied(installation, aside, template);
            if (durable) {
                installation.initialise(aside, true);
            } else if (!withTemplate) {
                installation.copyInitialised(aside);
            }
            installation.own(aside);
            Files.move(aside, data(), StandardCopyOption.ATOMIC_MOVE);
            return withTemplate;
        } catch (IOException | RuntimeException e) {
            new FileTree(aside).delete();
            throw e;
        }
    }

    /** Without it, the template is made in this server, which then says what is wrong if it cannot be made at all. */
    private static boolean copied(Installation installation, Path aside, KeptTemplate template) throws IOException {
        try {
            installation.copyWithTemplate(aside, template);
            return true;
        } catch (IOException | RuntimeException e) {
            logger.debug("there is no kept template {}", template.key(), e);
            if (Files.exists(aside)) {
                new FileTree(aside).delete();
            }
            return false;
        }
    }

    void configure(Settings settings, boolean durable) throws IOException {
        Path file = data().resolve("postgresql.conf");
        Path aside = Files.writeString(root.resolve("postgresql.conf-" + UUID.randomUUID()), settings.file(durable));
        Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The superuser's password; empty if the server asks for none. */
    String password() throws IOException {
        Optional<String> password = Password.of(data());
        if (password.isEmpty()) {
            logger.warn("the server in {} asks for no password: any user of this machine may use it", root);
        }
        return password.orElse("");
    }

    void setAsideLog() throws IOException {
        if (Files.exists(log())) {
            Files.move(log(), root.resolve("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    String endOfLog() {
        try {
            List<String> lines = new String(Files.readAllBytes(log()), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    /** Whether a server uses the data, or used it and did not stop cleanly. */
    boolean isClaimed() {
        return Files.exists(claim());
    }

    private Path claim() {
        return data().resolve("postmaster.pid");
    }

    /** The process of the server that runs on this folder now, even if another program started it. */
    OptionalLong runningServer() throws IOException {
        try {
            List<String> lines = Files.readAllLines(claim());
            if (lines.isEmpty()) {
                return OptionalLong.empty();
            }
            long pid = Long.parseLong(lines.get(0).strip());
            // The file survives a crash of the machine, after which the process id may belong to another program.
            boolean postgres = ProcessHandle.of(pid)
                    .flatMap(DataFolder::program)
                    .filter(program -> program.startsWith("postgres"))
                    .isPresent();
            return postgres ? OptionalLong.of(pid) : OptionalLong.empty();
        } catch (NoSuchFileException e) {
            return OptionalLong.empty();
        }
    }

    /**
     * The name of the program that a process runs; empty if the process has ended and is only still listed. Root in a container may not see
     * the whole command of another user's process.
     */
    private static Optional<String> program(ProcessHandle process) {
        Optional<String> command = process.info().command();
        if (command.isPresent()) {
            return Optional.of(Path.of(command.get()).getFileName().toString());
        }
        try {
            // 4711 (postgres) S …
            String stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
            int end = stat.lastIndexOf(')');
            return stat.startsWith(") Z", end)
                    ? Optional.empty()
                    : Optional.of(stat.substring(stat.indexOf('(') + 1, end));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
