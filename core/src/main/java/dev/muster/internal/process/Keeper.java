package dev.muster.internal.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The shell process that ends all child processes of this node when this JVM has ended, even by SIGKILL. It reads a pipe that only this JVM
 * holds open, and finds the processes by a mark in their environment, so that nobody has to tell it of them. See keeper.sh.
 */
final class Keeper implements AutoCloseable {
    private static final long CLOSE_SECONDS = 10;

    private final String mark;
    private Path folder;
    private @Nullable Process process;

    /**
     * @param mark the text in the environment of all processes that the keeper ends
     * @param folder the folder that it removes afterwards
     */
    Keeper(String mark, Path folder) {
        this.mark = mark;
        this.folder = folder;
    }

    /** Starts the keeper if it does not run. Called before each start of a child, so that no child is ever without a keeper. */
    synchronized void ensureRunning() throws IOException {
        if (process != null && process.isAlive()) {
            return;
        }
        ProcessBuilder builder =
                new ProcessBuilder("/bin/sh", "-c", script(), "muster-job-keeper", mark, folder.toString());
        // A program that waits for the end of this JVM's output must not have to wait for the keeper too.
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD);
        process = builder.start();
    }

    /** The folder that it removes afterwards, now that the one before is gone. */
    synchronized void useFolder(Path next) {
        folder = next;
        if (process == null) {
            return;
        }
        try {
            OutputStream pipe = process.getOutputStream();
            pipe.write(("folder " + next + "\n").getBytes(StandardCharsets.UTF_8));
            pipe.flush();
        } catch (IOException e) {
            // Somebody has killed the keeper; the one that is started in its place gets the new folder.
        }
    }

    synchronized long pid() {
        return process == null ? -1 : process.pid();
    }

    /** Closes the pipe, after which the keeper ends what is left of the children, as it does after a crash. */
    @Override
    public synchronized void close() {
        if (process == null) {
            return;
        }
        try {
            OutputStream pipe = process.getOutputStream();
            pipe.write("close\n".getBytes(StandardCharsets.US_ASCII));
            pipe.close();
            process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            // Somebody has killed the keeper.
        } catch (InterruptedException e) {
            // The keeper continues by itself.
            Thread.currentThread().interrupt();
        }
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
