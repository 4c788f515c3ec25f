package dev.muster.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The shell process that starts and stops one server, and stops it when this JVM has ended. See keeper.sh. */
final class Keeper implements AutoCloseable {
    private static final long CLOSE_SECONDS = 150;

    private final Process process;
    private final Writer orders;
    private final BufferedReader answers;

    private Keeper(Process process) {
        this.process = process;
        this.orders = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    static Keeper launch(Installation installation, Path data, Path log, String folderToRemove) throws IOException {
        ProcessBuilder builder = installation.command(
                "sh",
                "-c",
                script(),
                "muster-postgres-keeper",
                installation.programs().toString(),
                data.toString(),
                log.toString(),
                folderToRemove);
        // A program that waits for the end of this JVM's output must not have to wait for the keeper too.
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        return new Keeper(builder.start());
    }

    /** Returns whether the server has started; if not, its log says why. */
    boolean start(int port) throws IOException {
        return order("start " + port).equals("started");
    }

    void stopImmediate() throws IOException {
        order("stop");
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() throws IOException {
        try {
            orders.close();
            if (!process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the keeper, process " + process.pid() + ", is still stopping the server after "
                        + CLOSE_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            // The keeper continues by itself.
            Thread.currentThread().interrupt();
        }
    }

    private String order(String order) throws IOException {
        orders.write(order + "\n");
        orders.flush();
        String answer = answers.readLine();
        if (answer == null) {
            throw new IOException("the keeper, process " + process.pid() + ", ended by itself");
        }
        return answer;
    }

    private static String script() throws IOException {
        try (InputStream in = Keeper.class.getResourceAsStream("keeper.sh")) {
            if (in == null) {
                throw new IOException("keeper.sh is missing beside " + Keeper.class.getName() + ": repackaged jar?");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
