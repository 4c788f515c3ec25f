package dev.muster.testing.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The program that {@code ./verify} starts after the build. */
public final class Verify {
    private static final String OTHER_JAVA = "25";

    private final Arguments arguments;
    private final Path reports;
    private final RoundOptions options;
    private final List<TestModule> modules;

    private Verify(Arguments arguments) throws IOException {
        this.arguments = arguments;
        this.reports = arguments.root.resolve("target/verify");
        RoundOptions standard = RoundOptions.standard(arguments.root).with(arguments.jvmOptions);
        // A run of some tests installs nothing.
        this.options = arguments.only.isEmpty() ? standard.with(List.of(missing(arguments))) : standard;
        this.modules = TestModule.all(arguments.root);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        try {
            System.exit(new Verify(Arguments.parse(args)).run() ? 0 : 1);
        } catch (Arguments.Refused e) {
            System.err.println("verify: " + e.getMessage());
            System.exit(2);
        }
    }

    /** The programs that could not be installed, for {@link dev.muster.testing.Program}. */
    private static String missing(Arguments arguments) {
        return arguments.missing.stream()
                .map(component -> component.replaceFirst(":.*", ""))
                .collect(Collectors.joining(",", "-Dmuster.test.missing=", ""));
    }

    private boolean run() throws IOException, InterruptedException {
        Selection selection = Selection.of(modules, arguments.only);
        if (arguments.stress > 0) {
            return new Stress(arguments, options, reports.resolve("stress")).run(selection);
        }
        long start = System.nanoTime();
        Results results = new Results();
        arguments.broken.forEach(results::fault);
        Set<Results.Failure> passedAlone = new LinkedHashSet<>();
        try (Progress progress = new Progress(results, arguments.columns)) {
            if (arguments.longRun) {
                // One at a time: these measure.
                passedAlone.addAll(round("", options.withLongTests(), 1, results, progress, selection));
                // One round for both, because a failure is rarely due to either; --only with one of them tells.
                RoundOptions other =
                        options.with(List.of("-Dmuster.test.sql=" + arguments.root.resolve("build/new-years-eve.sql")));
                String name = "New Year's Eve";
                Optional<Path> java = otherJava();
                if (java.isPresent()) {
                    other = other.on(java.get());
                    name += ", Java " + OTHER_JAVA;
                } else {
                    arguments.missing.add("Java " + OTHER_JAVA + ": the tests did not run on it; set JAVA" + OTHER_JAVA
                            + "_HOME to a JDK");
                }
                passedAlone.addAll(round(name, other, arguments.jvms, results, progress, selection));
            } else {
                passedAlone.addAll(round("", options, arguments.jvms, results, progress, selection));
            }
        }
        Summary summary = new Summary(results, arguments.missing, passedAlone, System.nanoTime() - start);
        Files.writeString(reports.resolve("summary.txt"), summary.toString());
        System.out.print(summary);
        return summary.green();
    }

    private Set<Results.Failure> round(
            String name, RoundOptions how, int jvms, Results results, Progress progress, Selection selection)
            throws IOException, InterruptedException {
        Path logs =
                reports.resolve(name.isEmpty() ? "tests" : name.toLowerCase().replaceAll("[^a-z0-9]+", "-"));
        Round round = new Round(name, how, jvms, logs, results, progress);
        round.run(selection);
        return round.again(selection);
    }

    /** A second JDK, if this machine has one: JAVA25_HOME, or one of those that the system's packages install. */
    private static Optional<Path> otherJava() throws IOException {
        String home = System.getenv("JAVA" + OTHER_JAVA + "_HOME");
        if (home != null) {
            return Optional.of(Path.of(home, "bin/java"));
        }
        Path installed = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(installed)) {
            return Optional.empty();
        }
        try (Stream<Path> folders = Files.list(installed)) {
            return folders.filter(Verify::isOtherJava)
                    .map(folder -> folder.resolve("bin/java"))
                    .findFirst();
        }
    }

    private static boolean isOtherJava(Path folder) {
        try {
            return Files.readString(folder.resolve("release")).contains("JAVA_VERSION=\"" + OTHER_JAVA);
        } catch (IOException e) {
            return false;
        }
    }
}
