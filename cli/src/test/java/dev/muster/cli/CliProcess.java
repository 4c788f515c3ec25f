package dev.muster.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The command in a process of its own, as users run it; ended with the test at the latest. */
public final class CliProcess implements AutoCloseable {
    /** Whoever started the tests may ignore SIGINT, as shells do for what runs in the background, and children inherit that. */
    private static final List<String> WITH_DEFAULT_SIGNALS = defaultSignals();

    private final Process process;
    private final Path out;
    private final Path err;

    private CliProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    public static CliProcess start(Path folder, Map<String, String> environment, String... args) throws IOException {
        List<String> command = new ArrayList<>(WITH_DEFAULT_SIGNALS);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                classPath(),
                MusterCommand.class.getName()));
        command.addAll(List.of(args));
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("MUSTER_"));
        builder.environment().putAll(environment);
        return new CliProcess(builder.start(), out, err);
    }

    private static List<String> defaultSignals() {
        List<String> prefix = List.of("env", "--default-signal=INT,QUIT,HUP,TERM");
        List<String> trial = new ArrayList<>(prefix);
        trial.add("true");
        try {
            Process tried = new ProcessBuilder(trial)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return tried.waitFor() == 0 ? prefix : List.of();
        } catch (IOException e) {
            return List.of();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the command is delivered with; the tests' own classes are not. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(":"))
                .filter(entry -> !entry.endsWith("test-classes"))
                .collect(Collectors.joining(":"));
    }

    public String out() throws IOException {
        return Files.readString(out);
    }

    public String err() throws IOException {
        return Files.readString(err);
    }

    public Process process() {
        return process;
    }

    public Cli.Result await() throws IOException, InterruptedException {
        if (!process.waitFor(4, TimeUnit.MINUTES)) {
            throw new IllegalStateException("still running; it said: " + out() + err());
        }
        return new Cli.Result(process.exitValue(), out(), err());
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
