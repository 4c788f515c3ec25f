package dev.muster.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The classes of node processes, in a form that makes their JVMs start with a third less processor time: an archive of what an earlier
 * node has loaded. Such an archive needs a class path without folders, so the folders of this JVM's class path are packed into jars.
 */
public final class SharedClasses {
    private final Path folder;
    private final String classPath;
    private volatile @Nullable Path archive;

    private SharedClasses(Path folder, String classPath) {
        this.folder = folder;
        this.classPath = classPath;
    }

    /** Packs the class path of this JVM. What is written is removed when this JVM ends. */
    static SharedClasses ofThisJvm() {
        try {
            Path folder = Files.createTempDirectory("muster-classes-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder), "remove-shared-classes"));
            List<String> jars = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(":")) {
                Path path = Path.of(entry);
                jars.add(
                        Files.isDirectory(path)
                                ? pack(path, folder.resolve(jars.size() + ".jar"))
                                        .toString()
                                : entry);
            }
            return new SharedClasses(folder, String.join(":", jars));
        } catch (IOException e) {
            throw new UncheckedIOException("the class path cannot be packed", e);
        }
    }

    private static Path pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> files = Files.walk(classes)) {
            out.setLevel(0);
            for (Path each : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        return jar;
    }

    /** Where the archive of a node belongs that is started with {@code -XX:ArchiveClassesAtExit}. */
    public Path newArchive() {
        return folder.resolve("node.jsa");
    }

    /** From now on nodes start with {@link #newArchive}. */
    public void use() {
        archive = newArchive();
    }

    List<String> jvmOptions() {
        Path known = archive;
        return known == null
                ? List.of("-cp", classPath)
                : List.of("-XX:SharedArchiveFile=" + known, "-Xlog:cds*=off", "-cp", classPath);
    }

    private static void remove(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
