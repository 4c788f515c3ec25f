package dev.muster.cli.internal.demo;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A node in its own process. */
final class NodeProcess {
    private static final int LOG_LINES = 15;
    private static final long DRAIN_SECONDS = 15;
    private static final List<String> JVM =
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8");

    private final String id;
    private final Path log;
    private final Process process;

    private NodeProcess(String id, Path log, Process process) {
        this.id = id;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts a node.
     *
     * @param main the class of the muster command
     * @param folder where it runs and logs; it contains no muster.toml that could change the settings
     */
    static NodeProcess start(Class<?> main, String id, Path folder, String url, Map<String, String> settings) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM);
        command.addAll(List.of("-cp", absoluteClassPath(), main.getName()));
        command.addAll(List.of("node", "--example", "--stop-with-stdin", "--set", "node.id=" + id));
        settings.forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
        Path log = folder.resolve(id + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(log.toFile())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("MUSTER_"));
        // Not an argument, because every user of the machine can see arguments and the URL contains the password.
        builder.environment().put("MUSTER_DATABASE_URL", url);
        try {
            return new NodeProcess(id, log, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a node process", e);
        }
    }

    private static String absoluteClassPath() {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    String id() {
        return id;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the process as kill -9 does, and waits until it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Tells the node to drain. */
    void terminate() {
        process.destroy();
    }

    /** Waits until the node has drained, and kills it if that takes too long. */
    void awaitEnd() {
        try {
            if (!process.waitFor(DRAIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    String endOfLog() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }
}
