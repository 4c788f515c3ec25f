package dev.muster.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Processor time that the database server and this JVM have used together. On a machine that others use too it
 * says more than the clock does. Known on Linux only.
 */
final class CpuMeter {
    private static final Path PROC = Path.of("/proc");
    private static final long NANOS_PER_TICK = TimeUnit.MILLISECONDS.toNanos(10);

    private final long serverPid;

    CpuMeter(long serverPid) {
        this.serverPid = serverPid;
    }

    OptionalLong nanos() throws IOException {
        if (!Files.isDirectory(PROC.resolve(Long.toString(serverPid)))
                || !(ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean own)) {
            return OptionalLong.empty();
        }
        long ticks = 0;
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                ticks += ticks(process);
            }
        }
        return OptionalLong.of(ticks * NANOS_PER_TICK + own.getProcessCpuTime());
    }

    /** Of the server and its children, those that have ended included. */
    private long ticks(Path process) {
        String[] fields;
        try {
            String line = Files.readString(process.resolve("stat"));
            // The command before the last parenthesis may hold anything.
            fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
        } catch (IOException e) {
            // It ended meanwhile; its parent has its time.
            return 0;
        }
        long own = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        if (Long.parseLong(process.getFileName().toString()) == serverPid) {
            return own + Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
        }
        return Long.parseLong(fields[1]) == serverPid ? own : 0;
    }
}
