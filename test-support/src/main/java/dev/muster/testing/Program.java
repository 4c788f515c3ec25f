package dev.muster.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A program besides Java that some tests need. {@code ./verify} installs it, or says in its summary that it could not. */
public enum Program {
    CHROMIUM("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
    PGBOUNCER("pgbouncer");

    /** The programs that a whole run of {@code ./verify} could not install; null in any other run. */
    private static final String MISSING = System.getProperty("muster.test.missing");

    private final List<String> names;

    Program(String... names) {
        this.names = List.of(names);
    }

    /** The first of its names that is installed here. */
    public Optional<Path> find() {
        List<String> folders = Stream.concat(
                        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":")), Stream.of("/usr/sbin"))
                .toList();
        return names.stream()
                .flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Skips the test if the program is not installed; fails if {@code ./verify} has found it, because then nobody would see that the test is skipped. */
    public Path require() {
        Optional<Path> found = find();
        String name = name().toLowerCase(java.util.Locale.ROOT);
        if (found.isEmpty() && MISSING != null && !List.of(MISSING.split(",")).contains(name)) {
            throw new IllegalStateException(
                    "./verify has found or installed " + name + ", and this test does not find it");
        }
        Assumptions.assumeTrue(
                found.isPresent(), name + " is not installed; ./verify installs it, or says that it cannot");
        return found.orElseThrow();
    }
}
