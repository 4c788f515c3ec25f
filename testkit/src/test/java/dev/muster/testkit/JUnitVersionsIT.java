package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.LongTest;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kit is built against JUnit 6 and brings none; its own tests run on 6, and here on 5. */
class JUnitVersionsIT {

    @Test
    void theKitBringsNoJUnit() throws IOException {
        assertThat(Files.readString(Path.of("pom.xml")))
                .containsPattern("<artifactId>junit-jupiter-api</artifactId>\\s*<scope>provided</scope>");
    }

    @Test
    void theKitWorksOnTheOldestJUnit(@TempDir Path folder) throws IOException, InterruptedException {
        theKitWorksOnJUnit("5.10", folder);
    }

    @Test
    @LongTest(
            twin = JUnitVersionsIT.class,
            test = "theKitWorksOnTheOldestJUnit",
            why = "the last JUnit 5, between the oldest and the one that all other tests run on")
    void theKitWorksOnTheLastJUnit5(@TempDir Path folder) throws IOException, InterruptedException {
        theKitWorksOnJUnit("5.14", folder);
    }

    private static void theKitWorksOnJUnit(String version, Path folder) throws IOException, InterruptedException {
        Path output = folder.resolve("output.txt");
        Process tests = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile"),
                        "-cp",
                        "target/junit/junit-" + version + ".jar" + File.pathSeparator + classpathWithoutJUnit(),
                        "org.junit.platform.console.ConsoleLauncher",
                        "execute",
                        "--disable-banner",
                        "--select-class=" + ShopIT.class.getName(),
                        "--select-class=" + MusterTestIT.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(tests.waitFor(4, TimeUnit.MINUTES)).isTrue();
        } finally {
            tests.destroyForcibly();
        }

        assertThat(tests.exitValue()).as(() -> read(output)).isZero();
        assertThat(read(output)).containsPattern("[1-9] tests successful");
    }

    private static String classpathWithoutJUnit() {
        List<String> junit = List.of("/org/junit/", "/org/opentest4j/", "/org/apiguardian/", "/surefire/");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> junit.stream().noneMatch(entry.replace('\\', '/')::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
