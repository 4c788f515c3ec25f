package dev.muster.testing.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A module with tests: its folder, relative to the root, and its test classes. */
record TestModule(Path root, String folder, List<String> classes) {
    private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");
    private static final Pattern TEST_CLASS = Pattern.compile("\\w+(Test|IT)\\.(class|java)");

    /** All modules that have tests, in the order in which they are to start: those of {@code build/test-order.txt} first. */
    static List<TestModule> all(Path root) throws IOException {
        List<String> order = Files.readAllLines(root.resolve("build/test-order.txt")).stream()
                .map(line -> line.replaceFirst("#.*", "").strip())
                .filter(line -> !line.isEmpty())
                .toList();
        List<TestModule> modules = new ArrayList<>();
        for (String folder : MODULE.matcher(Files.readString(root.resolve("pom.xml")))
                .results()
                .map(match -> match.group(1))
                .toList()) {
            TestModule module = new TestModule(root, folder, testClasses(root.resolve(folder)));
            if (!module.classes.isEmpty()) {
                modules.add(module);
            }
        }
        modules.sort(Comparator.comparingInt(
                module -> order.contains(module.folder) ? order.indexOf(module.folder) : Integer.MAX_VALUE));
        return modules;
    }

    /** From the compiled classes, or from the sources if the module did not compile. */
    private static List<String> testClasses(Path module) throws IOException {
        for (String folder : List.of("target/test-classes", "src/test/java")) {
            Path classes = module.resolve(folder);
            if (Files.isDirectory(classes)) {
                List<String> found;
                try (Stream<Path> files = Files.walk(classes)) {
                    found = files.filter(file -> TEST_CLASS
                                    .matcher(file.getFileName().toString())
                                    .matches())
                            .map(file -> classes.relativize(file)
                                    .toString()
                                    .replaceFirst("\\.\\w+$", "")
                                    .replace('/', '.'))
                            .sorted()
                            .toList();
                }
                if (!found.isEmpty()) {
                    return found;
                }
            }
        }
        return List.of();
    }

    Path path() {
        return root.resolve(folder);
    }

    /** The class path of the tests; empty if the build has not come that far. */
    Optional<String> classPath() throws IOException {
        Path file = path().resolve("target/test.classpath");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        return Optional.of(path().resolve("target/test-classes") + ":" + path().resolve("target/classes") + ":"
                + Files.readString(file).strip());
    }
}
