package dev.muster.embedded;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Folders that are built once per user and then only read. A folder is built under another name and then renamed, so that it is
 * either complete or absent, even if several processes build it at once.
 */
record Cache(Path root) {
    private static final String UNFINISHED = ".building";
    private static final Duration ABANDONED = Duration.ofHours(1);
    /** How many versions of something are kept. Programs of several checkouts may use several by turns. */
    private static final int VERSIONS = 4;

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
        } catch (RuntimeException e) {
            new FileTree(unfinished).delete();
            throw e;
        }
        return folder;
    }

    /**
     * One version of something that changes now and then. Of all versions, whose names begin with {@code family}, the {@value #VERSIONS}
     * that were used last are kept, and those that were used within the last hour: a program that reads one just now is not disturbed.
     */
    Path version(String family, String name, Builder builder) throws IOException {
        boolean there = Files.isDirectory(root.resolve(name));
        Path folder = folder(name, builder);
        Files.setLastModifiedTime(folder, FileTime.from(Instant.now()));
        if (!there) {
            deleteUnused(family);
        }
        return folder;
    }

    private void deleteUnused(String family) throws IOException {
        Map<Path, Instant> lastUsed = new HashMap<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(
                root,
                path -> path.getFileName().toString().startsWith(family)
                        && !path.getFileName().toString().endsWith(UNFINISHED))) {
            for (Path folder : folders) {
                lastUsed.put(folder, Files.getLastModifiedTime(folder).toInstant());
            }
        }
        Instant limit = Instant.now().minus(ABANDONED);
        List<Path> unused = lastUsed.entrySet().stream()
                .sorted(Map.Entry.<Path, Instant>comparingByValue().reversed())
                .skip(VERSIONS)
                .filter(entry -> entry.getValue().isBefore(limit))
                .map(Map.Entry::getKey)
                .toList();
        for (Path folder : unused) {
            // Under its own name it would be half a folder for a moment.
            Path aside = folder.resolveSibling(folder.getFileName() + "-" + UUID.randomUUID() + UNFINISHED);
            try {
                new FileTree(Files.move(folder, aside, StandardCopyOption.ATOMIC_MOVE)).delete();
            } catch (NoSuchFileException e) {
                // Another process deletes it.
            }
        }
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
