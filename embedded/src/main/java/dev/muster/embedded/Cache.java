package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * Folders that are built once per user and then only read. A folder is built under another name and then renamed, so that it is
 * either complete or absent, even if several processes build it at once.
 */
record Cache(Path root) {
    private static final String UNFINISHED = ".building";
    private static final Duration ABANDONED = Duration.ofHours(1);

    interface Builder {
        void build(Path folder) throws IOException;
    }

    static Cache ofUser() throws IOException {
        String configured = System.getenv("XDG_CACHE_HOME");
        Path home = Path.of(System.getProperty("user.home"));
        Path base =
                configured != null && Path.of(configured).isAbsolute() ? Path.of(configured) : home.resolve(".cache");
        try {
            return new Cache(Files.createDirectories(base.resolve("muster/postgres")));
        } catch (IOException e) {
            return new Cache(ownFolderForTemporaryFiles());
        }
    }

    Path folder(String name, Builder builder) throws IOException {
        Path folder = root.resolve(name);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        deleteAbandoned();
        Path unfinished = Files.createDirectory(root.resolve(name + "-" + UUID.randomUUID() + UNFINISHED));
        try {
            builder.build(unfinished);
            Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            new FileTree(unfinished).delete();
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
        return folder;
    }

    private void deleteAbandoned() throws IOException {
        Instant limit = Instant.now().minus(ABANDONED);
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root, "*" + UNFINISHED)) {
            for (Path folder : folders) {
                if (Files.getLastModifiedTime(folder).toInstant().isBefore(limit)) {
                    new FileTree(folder).delete();
                }
            }
        }
    }

    /** For users without a home, as in many containers. Programs run from this folder, so it must belong to this user. */
    private static Path ownFolderForTemporaryFiles() throws IOException {
        String user = System.getProperty("user.name");
        Path folder = Path.of(System.getProperty("java.io.tmpdir"), "muster-postgres-" + user);
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        Path probe = Files.createTempFile("muster-", ".owner");
        boolean ours = Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(probe));
        Files.delete(probe);
        if (!ours) {
            throw new IOException(folder + " belongs to another user: set XDG_CACHE_HOME to a folder that you own");
        }
        return folder;
    }
}
