package dev.muster.cli.demo;

import dev.muster.cli.MusterCommand;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A node in a process of its own. */
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
     * Starts one.
     *
     * @param folder where it runs and logs; no muster.toml is there that could change it
     */
    static NodeProcess start(String id, Path folder, String url, Map<String, String> settings) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM);
        command.addAll(List.of("-cp", absoluteClassPath(), MusterCommand.class.getName()));
        command.addAll(List.of("node", "--example", "--stop-with-stdin", "--set", "node.id=" + id));
        settings.forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
        Path log = folder.resolve(id + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(log.toFile())
                .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("MUSTER_"));
        // Not among the arguments, which every user of the machine can see: the password is in it.
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

    /** kill -9, and waits until it is dead. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Asks it to drain. */
    void terminate() {
        process.destroy();
    }

    /** Waits until it has drained, and ends it if that takes too long. */
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
