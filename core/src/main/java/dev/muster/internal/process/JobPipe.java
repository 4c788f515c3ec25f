package dev.muster.internal.process;

import dev.muster.internal.runtime.Jsonb;
import dev.muster.job.JobContext;
import dev.muster.runtime.JsonCodec.JsonException;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The named pipe through which a child reports progress and log lines, one JSON object per line. This JVM holds both ends open: a child
 * that never opens the pipe blocks nobody, and the reading thread ends at a line that only this JVM knows.
 */
final class JobPipe implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobPipe.class);
    private static final int MAX_LINE = 64 * 1024;
    private static final long JOIN_MILLIS = 1_000;

    private final JobContext context;
    private final Path path;
    private final RandomAccessFile pipe;
    private final String lastLine = UUID.randomUUID().toString();
    private final Thread reader;
    private boolean complained;

    private JobPipe(Path path, JobContext context) throws IOException {
        this.context = context;
        this.path = path;
        this.pipe = new RandomAccessFile(path.toFile(), "rw");
        this.reader = new Thread(this::readAll, "muster-child-pipe-" + context.id());
        reader.setDaemon(true);
        reader.start();
    }

    /** Creates a pipe in this folder. */
    static JobPipe open(Path folder, JobContext context) throws IOException, InterruptedException {
        Path path = folder.resolve(UUID.randomUUID() + ".pipe");
        Process mkfifo = new ProcessBuilder("mkfifo", "-m", "600", path.toString())
                .redirectErrorStream(true)
                .start();
        try {
            mkfifo.getOutputStream().close();
            if (mkfifo.waitFor() != 0) {
                String why = new String(mkfifo.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                throw new IOException("mkfifo failed: " + why.strip());
            }
            return new JobPipe(path, context);
        } finally {
            mkfifo.destroyForcibly();
        }
    }

    File file() {
        return path.toFile();
    }

    /** Returns when all that the child has written is reported. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            // The first line end is for a line that the child has not ended.
            pipe.write(("\n" + lastLine + "\n").getBytes(StandardCharsets.US_ASCII));
            reader.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (IOException e) {
            log.warn("job={} its last log lines may be lost: {}", context.id(), e.getMessage());
        }
        try {
            pipe.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.debug("{} is left", path, e);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whatever fails here, it keeps reading: nobody else empties the pipe, and a child that finds it full waits. */
    private void readAll() {
        LineReader lines = new LineReader();
        boolean more = true;
        while (more) {
            try {
                more = lines.read();
            } catch (IOException e) {
                // The pipe was closed without waiting for this thread any longer.
                more = false;
            } catch (Throwable e) {
                warn(e);
            }
        }
    }

    private void warn(Throwable e) {
        try {
            log.warn("job={} some of its progress or log lines are lost", context.id(), e);
        } catch (Throwable alsoWrong) {
            // There may be no memory left to write it.
        }
    }

    /** Splits what is read into lines, and remembers one that has not ended yet. */
    private final class LineReader {
        private final byte[] buffer = new byte[8_192];
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private int from;
        private int to;
        private boolean tooLong;

        /** Takes what there is, and waits if there is nothing; returns false at the end. */
        boolean read() throws IOException {
            if (from == to) {
                from = 0;
                to = Math.max(0, pipe.read(buffer));
                if (to == 0) {
                    return false;
                }
            }
            while (from < to) {
                byte next = buffer[from++];
                if (next == '\n') {
                    if (!ended()) {
                        return false;
                    }
                } else {
                    tooLong |= line.size() >= MAX_LINE;
                    if (!tooLong) {
                        line.write(next);
                    }
                }
            }
            return true;
        }

        /** A line has ended; returns false if it was the last. */
        private boolean ended() {
            boolean cut = tooLong;
            String text;
            try {
                text = line.toString(StandardCharsets.UTF_8);
            } finally {
                line.reset();
                tooLong = false;
            }
            if (text.equals(lastLine)) {
                return false;
            }
            if (cut) {
                complain("it is longer than 64 kB", text);
            } else if (!text.isBlank()) {
                report(text);
            }
            return true;
        }
    }

    private void report(String text) {
        try {
            if (!(Jsonb.read(text) instanceof Map<?, ?> line)) {
                complain("it is not a JSON object", text);
            } else if (!progress(line) & !logLine(line)) {
                complain("it has neither progress nor log as they must be", text);
            }
        } catch (JsonException e) {
            complain(e.getMessage(), text);
        } catch (RuntimeException e) {
            complain(e.toString(), text);
        }
    }

    private boolean progress(Map<?, ?> line) {
        if (!(line.get("progress") instanceof Jsonb.Digits number)) {
            return false;
        }
        double share = Double.parseDouble(number.text());
        if (!(share >= 0 && share <= 1)) {
            return false;
        }
        context.progress((int) Math.round(share * 100), line.get("message") instanceof String message ? message : null);
        return true;
    }

    private boolean logLine(Map<?, ?> line) {
        if (!(line.get("log") instanceof String message)) {
            return false;
        }
        Object level = line.get("level");
        if ("error".equals(level)) {
            context.log().error(message);
        } else if ("warn".equals(level)) {
            context.log().warn(message);
        } else {
            context.log().info(message);
        }
        return true;
    }

    /** Once per job: a program that writes something else there usually does so with each line. */
    private void complain(@Nullable String why, String text) {
        if (!complained) {
            complained = true;
            String shown = text.length() > 100 ? text.substring(0, 100) + "…" : text;
            context.log()
                    .warn("a line that the process wrote for progress and logs is ignored, as further ones may be: "
                            + why + ": " + shown);
        }
    }
}
