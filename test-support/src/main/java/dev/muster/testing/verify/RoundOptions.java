package dev.muster.testing.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the test JVMs of a round are started.
 *
 * @param silence a JVM in which no test begins or ends for this long is stopped; longer than any test of the round may take
 */
record RoundOptions(Path java, List<String> jvmOptions, boolean longTests, Duration silence) {
    /** JUnit ends a test that hangs after 5 minutes. */
    private static final Duration SILENCE = Duration.ofMinutes(12);

    /** In the long run it does so after 15 minutes, and a few tests say that they may take 20 or 30. */
    private static final Duration LONG_SILENCE = Duration.ofMinutes(35);

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
        return new RoundOptions(Path.of(System.getProperty("java.home"), "bin/java"), options, false, SILENCE);
    }

    RoundOptions with(List<String> more) {
        List<String> all = new ArrayList<>(jvmOptions);
        all.addAll(more);
        return new RoundOptions(java, all, longTests, silence);
    }

    /** At full size, and one test at a time, because these measure. */
    RoundOptions withLongTests() {
        List<String> alone = List.of(
                "-Dmuster.test.size=full",
                "-Djunit.jupiter.execution.parallel.enabled=false",
                "-Djunit.jupiter.execution.timeout.default=15 m");
        return new RoundOptions(java, with(alone).jvmOptions, true, LONG_SILENCE);
    }

    RoundOptions on(Path otherJava) {
        return new RoundOptions(otherJava, jvmOptions, longTests, silence);
    }
}
