package dev.muster.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/** The PostgreSQL programs for this machine, unpacked from the class path, and how this user can run them. */
final class Installation {
    private static final String PRISTINE = "-pristine-3";
    private static @Nullable Installation ofUser;

    private final Cache cache;
    private final String name;
    private final Path home;
    private final ServerUser user;

    private Installation(Cache cache, String name, Path home, ServerUser user) {
        this.cache = cache;
        this.name = name;
        this.home = home;
        this.user = user;
    }

    static synchronized Installation ofUser() throws IOException {
        if (ofUser == null) {
            ofUser = install(Cache.ofUser(), ServerUser.ofThisProgram());
        }
        return ofUser;
    }

    static Installation install(Cache cache, ServerUser user) throws IOException {
        String resource = "postgres-" + system() + ".txz";
        URL url = Installation.class.getClassLoader().getResource(resource);
        if (url == null) {
            throw new EmbeddedPostgresException("There are no PostgreSQL programs for this machine: " + resource
                    + " is not on the class path. Add the artifact of io.zonky.test.postgres for it, or use a"
                    + " PostgreSQL of your own");
        }
        URLConnection connection = url.openConnection();
        String name = resource.replace(".txz", "-") + fingerprint(connection);
        Path home = cache.folder(name, folder -> unpack(connection.getInputStream(), folder));
        return new Installation(cache, name, home, user);
    }

    Path programs() {
        return home.resolve("bin");
    }

    /** A process without the caller's PG… variables and locale, which does not run in the caller's folder. */
    ProcessBuilder command(String... command) {
        List<String> all = new ArrayList<>(user.prefix());
        all.addAll(List.of(command));
        ProcessBuilder builder = new ProcessBuilder(all).directory(home.toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        return builder;
    }

    /** Gives the data to the user that the server runs as. */
    void own(Path data) throws IOException {
        user.own(data);
    }

    /** If you change the options here, change PRISTINE too: caches contain clusters made with the old options. */
    void initialise(Path data, boolean synced) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(programs().resolve("initdb").toString(), "-D", data.toString()));
        // The password is long and random, so hashing it thousands of times for each connection is unnecessary.
        command.addAll(List.of("--username=postgres", "--auth=scram-sha-256", "--set", "scram_iterations=1"));
        command.addAll(List.of("--encoding=UTF8", "--locale=C"));
        command.addAll(List.of("--locale-provider=builtin", "--builtin-locale=C.UTF-8"));
        command.addAll(synced ? List.of("--sync-method=fsync") : List.of("--no-sync", "--no-data-checksums"));
        Path password = Password.choose();
        try {
            command.add("--pwfile=" + password);
            run(command, data);
            Password.keep(password, data);
        } finally {
            Files.deleteIfExists(password);
        }
    }

    private void run(List<String> command, Path data) throws IOException {
        Process initdb = command(command.toArray(String[]::new))
                .redirectErrorStream(true)
                .start();
        initdb.getOutputStream().close();
        String output = new String(initdb.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (exitCode(initdb) != 0) {
            throw new EmbeddedPostgresException("initdb could not create " + data + ": " + output.strip());
        }
    }

    /** Like {@link #initialise} in a tenth of the time, but all clusters made this way have the same system identifier. */
    void copyInitialised(Path data) throws IOException {
        Path pristine = cache.folder(name + PRISTINE, folder -> initialise(folder.resolve("pgdata"), false));
        new FileTree(pristine.resolve("pgdata")).copyTo(data);
    }

    /** Like {@link #copyInitialised}, with this template database, which is made at the first call of this user. */
    void copyWithTemplate(Path data, KeptTemplate template) throws IOException {
        String pristine = name + PRISTINE;
        Path kept = cache.version(pristine + template.family(), pristine + template.id(), folder -> {
            try (EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .installation(this)
                    .dataDirectory(folder)
                    .start()) {
                template.prepare().accept(server.databases().create(Templates.name(template.key())));
            }
        });
        new FileTree(kept.resolve("pgdata")).copyTo(data);
    }

    private static String system() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch");
        return (os.startsWith("mac") ? "darwin" : os) + "-"
                + switch (arch) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> arch;
                };
    }

    /** Distinguishes the programs of different releases without reading them. */
    private static String fingerprint(URLConnection connection) throws IOException {
        return connection instanceof JarURLConnection jar
                ? Long.toHexString(jar.getJarEntry().getCrc())
                : Long.toHexString(connection.getContentLengthLong()) + "-"
                        + Long.toHexString(connection.getLastModified());
    }

    private static void unpack(InputStream packed, Path folder) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new XZInputStream(packed))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = folder.resolve(entry.getName()).normalize();
                if (!path.startsWith(folder)) {
                    throw new IOException("the archive reaches outside its folder: " + entry.getName());
                }
                Files.createDirectories(entry.isDirectory() ? path : path.getParent());
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
                } else if (entry.isFile()) {
                    Files.copy(tar, path);
                    boolean executable = (entry.getMode() & 0100) != 0;
                    Files.setPosixFilePermissions(
                            path, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
                }
            }
        }
    }

    static int exitCode(Process process) throws IOException {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException(
                    "interrupted while waiting for " + process.info().command(), e);
        }
    }
}
