package dev.muster.testing.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the test JVMs of a round are started. */
record RoundOptions(Path java, List<String> jvmOptions, boolean longTests) {
    private static final Pattern JVM = Pattern.compile("<test\\.jvm>(.*?)</test\\.jvm>");

    /** What tests get from Maven as well: the options in the root's pom.xml, the clock of test databases, the log's form. */
    static RoundOptions standard(Path root) throws IOException {
        Matcher jvm = JVM.matcher(Files.readString(root.resolve("pom.xml")));
        if (!jvm.find()) {
            throw new IllegalStateException("pom.xml has no property test.jvm");
        }
        List<String> options = new ArrayList<>(List.of(jvm.group(1).split(" ")));
        options.add("-Dmuster.test.template_sql=" + root.resolve("build/test-clock.sql"));
        options.add("-Dlogback.configurationFile=" + root.resolve("build/logback-test.xml"));
        options.add("-Dfile.encoding=UTF-8");
        return new RoundOptions(Path.of(System.getProperty("java.home"), "bin/java"), options, false);
    }

    RoundOptions with(List<String> more) {
        List<String> all = new ArrayList<>(jvmOptions);
        all.addAll(more);
        return new RoundOptions(java, all, longTests);
    }

    /** At full size, and one test at a time, because these measure. */
    RoundOptions withLongTests() {
        List<String> alone = List.of(
                "-Dmuster.test.size=full",
                "-Djunit.jupiter.execution.parallel.enabled=false",
                "-Djunit.jupiter.execution.timeout.default=15 m");
        return new RoundOptions(java, with(alone).jvmOptions, true);
    }

    RoundOptions on(Path otherJava) {
        return new RoundOptions(otherJava, jvmOptions, longTests);
    }
}
