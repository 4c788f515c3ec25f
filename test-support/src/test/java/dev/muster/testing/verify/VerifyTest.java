package dev.muster.testing.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program on projects of a few classes, in processes of its own. The path has a space. */
class VerifyTest {
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    Path temporary;

    private Path root;
    private final List<String> modules = new ArrayList<>();

    private record Outcome(int exitCode, String output) {}

    @BeforeEach
    void project() throws IOException {
        root = Files.createDirectories(temporary.resolve("my project"));
        Files.createDirectories(root.resolve("build"));
        Files.createFile(root.resolve("build/test-order.txt"));
        Files.createDirectories(root.resolve("target/verify"));
    }

    /** A module that is compiled; each class has the body that follows its name. */
    private void module(String name, String... classes) throws IOException {
        modules.add(name);
        Path sources = Files.createDirectories(root.resolve(name).resolve("src/test/java"));
        Path compiled = Files.createDirectories(root.resolve(name).resolve("target/test-classes"));
        List<String> arguments = new ArrayList<>(List.of("-cp", CLASS_PATH, "-d", compiled.toString()));
        for (int i = 0; i < classes.length; i += 2) {
            String type = classes[i].replaceFirst(".*\\bclass ", "").replaceFirst(" .*", "");
            Path source = sources.resolve(type + ".java");
            Files.writeString(
                    source, """
                    import org.junit.jupiter.api.*;
                    import static org.junit.jupiter.api.Assertions.*;

                    %s {
                    %s
                    }
                    """.formatted(classes[i].contains(" ") ? classes[i] : "class " + type, classes[i + 1]));
            arguments.add(source.toString());
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        Files.writeString(root.resolve(name).resolve("target/test.classpath"), CLASS_PATH);
    }

    private void writePom() throws IOException {
        StringBuilder pom = new StringBuilder("<test.jvm>-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx128m</test.jvm>");
        modules.forEach(module -> pom.append("<module>").append(module).append("</module>"));
        Files.writeString(root.resolve("pom.xml"), pom);
    }

    private Outcome verify(String... arguments) throws IOException, InterruptedException {
        writePom();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                CLASS_PATH,
                Verify.class.getName(),
                "--root",
                root.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }

    @Test
    void aFailureHidesNothingElse() throws Exception {
        module(
                "first",
                "FailingTest",
                "@Test void fails() { fail(\"planted\"); } @Test void passes() {}",
                "DyingTest",
                "@Test void dies() { Runtime.getRuntime().halt(7); }");
        module(
                "second",
                "BrokenTest",
                "@BeforeAll static void open() { throw new IllegalStateException(\"no database\"); } @Test void never() {}",
                "SkippedTest",
                "@Test @Disabled(\"no browser\") void skipped() {} @Test @DisplayName(\"a\\ud800\\tb\") void passes() {}");
        modules.add("third");
        Path uncompiled = Files.createDirectories(root.resolve("third/src/test/java"));
        Files.writeString(uncompiled.resolve("UncompiledTest.java"), "class UncompiledTest {");

        Outcome outcome = verify("--missing", "chromium: the tests of the dashboard are skipped");

        assertThat(outcome.exitCode).isEqualTo(1);
        assertThat(outcome.output)
                .contains("BROKEN   first: the JVM ended with code 7 before its tests had")
                .contains("FAILED   second BrokenTest.(class): java.lang.IllegalStateException: no database")
                .contains("SKIPPED  1 × second SkippedTest: no browser")
                .contains("BROKEN   third: did not compile")
                .contains("NOT RUN  third UncompiledTest")
                .contains("MISSING  chromium: the tests of the dashboard are skipped");
        assertThat(Files.readString(root.resolve("target/verify/summary.txt"))).contains("RED");
    }

    @Test
    void aFailureThatPassesAloneIsFlakyAndStillAFailure() throws Exception {
        module(
                "first",
                "FlakyTest",
                """
                @Test void flaky() throws Exception {
                    var file = java.nio.file.Path.of("ran");
                    if (!java.nio.file.Files.exists(file)) {
                        java.nio.file.Files.createFile(file);
                        fail("for the first time");
                    }
                }
                """,
                "abstract class Contract",
                """
                @Nested class Part {
                    @Test void always() { fail("every time"); }
                }
                """,
                "class KeepsContractTest extends Contract",
                "");

        Outcome outcome = verify();

        assertThat(outcome.exitCode).isEqualTo(1);
        assertThat(outcome.output)
                .contains("FLAKY    first FlakyTest.flaky(): org.opentest4j.AssertionFailedError: for the first time")
                .contains(
                        "FAILED   first KeepsContractTest.Part always(): org.opentest4j.AssertionFailedError: every time")
                .containsPattern("(?m)^0 passed, 2 failed, 0 skipped$");
    }

    @Test
    void greenIsCodeZeroAndLongTestsWaitForTheLongRun() throws Exception {
        module(
                "first",
                "abstract class BaseTest",
                "@Test void inherited() {}",
                "class QuickTest extends BaseTest",
                "@Test void quick() {}",
                "SoakTest",
                """
                @dev.muster.testing.LongTest(twin = QuickTest.class, test = "quick", why = "an hour of it")
                @Test void soak() {}
                """);

        Outcome outcome = verify();

        assertThat(outcome.output)
                .containsPattern("(?m)^2 passed, 0 failed, 0 skipped$")
                .contains("Green");
        assertThat(outcome.exitCode).isZero();
        Outcome longer = verify("--long", "--only", "SoakTest");
        assertThat(longer.output)
                .containsPattern("(?m)^first +1 +0 +0")
                .containsPattern("(?m)^first \\(New Year's Eve(, Java 25)?\\) +0 +0 +0");
        assertThat(longer.exitCode).isZero();
    }

    @Test
    void oneMethodAlone() throws Exception {
        module("first", "TwoTest", "@Test void one() {} @Test void other() { fail(\"not wanted\"); }");

        assertThat(verify("--only", "TwoTest#one").output).containsPattern("(?m)^1 passed, 0 failed, 0 skipped$");
        assertThat(verify("--only", "TwoTest#one,TwoTest").output)
                .containsPattern("(?m)^1 passed, 1 failed, 0 skipped$");
        Outcome misspelt = verify("--only", "TwoTest#three");
        assertThat(misspelt.exitCode).isEqualTo(1);
        assertThat(misspelt.output).contains("NOT RUN  first TwoTest");
        Outcome unknown = verify("--only", "ThreeTest");
        assertThat(unknown.exitCode).isEqualTo(2);
        assertThat(unknown.output).contains("there is no module and no test class called 'ThreeTest'");
    }

    @Test
    void aTestWithoutASourceDoesNotRun() throws Exception {
        module(
                "first",
                "KeptTest",
                "@Test void kept() {}",
                "DeletedTest",
                "@Test void deleted() { fail(\"deleted\"); }");
        module("second", "SharedTest", "@Test void shared() {}");
        Files.delete(root.resolve("first/src/test/java/DeletedTest.java"));
        Files.move(root.resolve("second/src"), root.resolve("first/shared"));
        Files.writeString(
                root.resolve("second/pom.xml"),
                "<testSourceDirectory>${project.basedir}/../first/shared/test/java</testSourceDirectory>");

        Outcome outcome = verify();

        assertThat(outcome.output)
                .containsPattern("(?m)^2 passed, 0 failed, 0 skipped$")
                .doesNotContain("DeletedTest");
        assertThat(outcome.exitCode).isZero();
    }

    @Test
    void aJvmThatIsSilentForLongerThanItsRoundAllowsIsStopped() throws Exception {
        module(
                "first",
                "SilentTest",
                "@Test void silent() throws Exception { new java.util.concurrent.Semaphore(0).acquire(); }");
        writePom();
        RoundOptions ordinary = RoundOptions.standard(root);
        RoundOptions hasty =
                new RoundOptions(ordinary.java(), ordinary.jvmOptions(), ordinary.longTests(), Duration.ofSeconds(1));
        TestModule module = TestModule.all(root).get(0);
        Path log = root.resolve("target/verify/tests/first.log");
        try (TestJvm jvm = TestJvm.start(module, module.classPath().orElseThrow(), module.classes(), hasty, log)) {
            assertThat(jvm.follow(event -> {}))
                    .isEqualTo(
                            "the JVM was stopped, because no test began or ended for 1 s; its threads are in the log");
        }

        // One of the long tests says of itself that it may take half an hour.
        assertThat(ordinary.withLongTests().with(List.of()).silence()).isGreaterThan(Duration.ofMinutes(30));
        assertThat(ordinary.silence()).isGreaterThan(Duration.ofMinutes(5));
    }

    @Test
    void stressCountsRuns() throws Exception {
        module("first", "NowAndThenTest", """
                @Test void everySecondTime() throws Exception {
                    var file = java.nio.file.Path.of("ran");
                    if (java.nio.file.Files.deleteIfExists(file)) {
                        fail("again");
                    }
                    java.nio.file.Files.createFile(file);
                }
                """);

        Outcome outcome = verify("--stress", "2", "--only", "NowAndThenTest", "--load", "1", "--jvms", "1");

        assertThat(outcome.output).contains("run 2 of 2: FAILED, 1 tests").containsPattern("(?m)^1 passed, 1 failed$");
        assertThat(outcome.exitCode).isEqualTo(1);
    }
}
