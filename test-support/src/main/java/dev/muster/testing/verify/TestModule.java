package dev.muster.testing.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A module with tests: its folder, relative to the root, and its test classes. */
record TestModule(Path root, String folder, List<String> classes) {
    private static final Pattern MODULE = Pattern.compile("<module>(.*?)</module>");
    private static final Pattern TEST_SOURCES =
            Pattern.compile("<testSourceDirectory>\\$\\{project\\.basedir}/(.*?)</testSourceDirectory>");
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

    /**
     * From the compiled classes, or from the sources if the module did not compile. Maven leaves the compiled class of a deleted test
     * where it is, so a class needs a source.
     */
    private static List<String> testClasses(Path module) throws IOException {
        Path sources = testSources(module);
        for (Path classes : List.of(module.resolve("target/test-classes"), sources)) {
            if (Files.isDirectory(classes)) {
                List<String> found;
                try (Stream<Path> files = Files.walk(classes)) {
                    found = files.filter(file -> TEST_CLASS
                                    .matcher(file.getFileName().toString())
                                    .matches())
                            .filter(file -> Files.exists(sources.resolve(
                                    classes.relativize(file).toString().replaceFirst("\\.\\w+$", ".java"))))
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

    /** The module's own, or those of another module that its pom.xml names. */
    private static Path testSources(Path module) throws IOException {
        Path pom = module.resolve("pom.xml");
        Matcher named = TEST_SOURCES.matcher(Files.exists(pom) ? Files.readString(pom) : "");
        return module.resolve(named.find() ? named.group(1) : "src/test/java").normalize();
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
