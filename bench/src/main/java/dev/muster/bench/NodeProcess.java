package dev.muster.bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/** A {@link NodeMain} and what it says. It never outlives this JVM: it ends with its standard input. */
final class NodeProcess implements AutoCloseable {
    static final String READY = "READY";
    static final String FIRST = "FIRST";
    static final String COUNT = "COUNT ";

    private static final int START_SECONDS = 60;

    private final Process process;
    private final BufferedWriter orders;
    private final BufferedReader answers;

    /** Starts it and does not wait for it. */
    NodeProcess(String url, List<String> jvmOptions, List<String> settings) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), NodeMain.class.getName(), "database.url=" + url));
        command.addAll(settings);
        this.process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Waits for a line of its own. */
    void await(String line) throws IOException {
        String answer;
        do {
            answer = answers.readLine();
            if (answer == null) {
                throw new IOException("a node process ended before it said " + line);
            }
        } while (!answer.equals(line));
    }

    /** How many jobs it has run. */
    long count() throws IOException {
        orders.write("count\n");
        orders.flush();
        String answer;
        do {
            answer = answers.readLine();
            if (answer == null) {
                throw new IOException("a node process ended");
            }
        } while (!answer.startsWith(COUNT));
        return Long.parseLong(answer.substring(COUNT.length()));
    }

    /** The most memory it has had from the system so far, in megabytes; known on Linux only. */
    OptionalDouble peakResidentMegabytes() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.isReadable(status)) {
            return OptionalDouble.empty();
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
                .findFirst();
    }

    @Override
    public void close() {
        try {
            orders.close();
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
