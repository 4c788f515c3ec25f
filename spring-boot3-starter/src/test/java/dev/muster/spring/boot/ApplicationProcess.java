package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An application in a JVM of its own. What it prints is in a file. */
final class ApplicationProcess implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(4);

    private final Process process;
    private final Path output;

    /**
     * Starts it with the class path of the tests, without devtools.
     *
     * @param folder for the output
     */
    ApplicationProcess(Path folder, String main, String... arguments) {
        this(folder, testClassPath().filter(entry -> !entry.contains("devtools")), main, arguments);
    }

    /** @param folder for the output */
    ApplicationProcess(Path folder, Stream<String> classPath, String main, String... arguments) {
        this.output = folder.resolve("output.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        // With each collection the JVM forgets what is only softly held.
        command.add("-XX:SoftRefLRUPolicyMSPerMB=0");
        command.add("@" + write(folder, classPath));
        command.add(main);
        command.addAll(List.of(arguments));
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Stream<String> testClassPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator));
    }

    private static Path write(Path folder, Stream<String> classPath) {
        try {
            return Files.writeString(
                    folder.resolve("class-path.txt"),
                    "-cp \"" + classPath.collect(Collectors.joining(File.pathSeparator)) + "\"");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the output has something, and returns the pattern's first group. */
    String awaitOutput(Pattern pattern) {
        await().atMost(START).until(() -> pattern.matcher(output()).find() || !process.isAlive());
        return pattern.matcher(output())
                .results()
                .map((MatchResult match) -> match.group(1))
                .findFirst()
                .orElseThrow(() -> new AssertionError(output()));
    }

    /** Sends SIGTERM. */
    void terminate() {
        process.destroy();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(4, TimeUnit.MINUTES)).as(output()).isTrue();
        return process.exitValue();
    }

    /** Whatever became of the test, the process is gone after it. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
