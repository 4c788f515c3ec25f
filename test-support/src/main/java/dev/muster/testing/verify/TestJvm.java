package dev.muster.testing.verify;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A JVM that runs tests of one module. Its output is in a log, its events in a file beside it. */
final class TestJvm implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(100);

    private static final Running RUNNING = new Running();

    private final TestModule module;
    private final Path log;
    private final Path events;
    private final Duration silence;
    private final Process process;
    private long eventsRead;
    private long lastEvent = System.nanoTime();
    private boolean done;

    private TestJvm(TestModule module, Path log, Path events, Duration silence, Process process) {
        this.module = module;
        this.log = log;
        this.events = events;
        this.silence = silence;
        this.process = process;
    }

    /** @param selected classes, each with {@code #method} if only one method is wanted */
    static TestJvm start(TestModule module, String classPath, List<String> selected, RoundOptions options, Path log)
            throws IOException {
        Files.createDirectories(log.getParent());
        Path events = Path.of(log.toString().replaceFirst("\\.log$", ".events"));
        Files.deleteIfExists(events);
        Files.createFile(events);
        Path argumentFile = Path.of(log.toString().replaceFirst("\\.log$", ".args"));
        List<String> arguments = new ArrayList<>(options.jvmOptions());
        arguments.addAll(List.of("-cp", classPath, RunTests.class.getName(), events.toString()));
        arguments.add(String.valueOf(options.longTests()));
        arguments.addAll(selected);
        Files.write(
                argumentFile,
                arguments.stream()
                        .map(argument -> '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
                        .toList());
        ProcessBuilder builder = new ProcessBuilder(options.java().toString(), "@" + argumentFile)
                .directory(module.path().toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(log.toFile());
        Process process = RUNNING.start(builder);
        return new TestJvm(module, log, events, options.silence(), process);
    }

    TestModule module() {
        return module;
    }

    Path log() {
        return log;
    }

    /** Passes on each event until the JVM has ended. Returns what is wrong with the JVM itself, or an empty text. */
    String follow(Consumer<Event> listener) throws IOException, InterruptedException {
        while (true) {
            boolean ended = process.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            readEvents(listener);
            if (ended) {
                return done && process.exitValue() == 0
                        ? ""
                        : "the JVM ended with code " + process.exitValue() + " before its tests had";
            }
            if (System.nanoTime() - lastEvent > silence.toNanos()) {
                dumpThreads();
                kill();
                return "the JVM was stopped, because no test began or ended for " + silence.toSeconds()
                        + " s; its threads are in the log";
            }
        }
    }

    private void readEvents(Consumer<Event> listener) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(events.toFile(), "r")) {
            byte[] bytes = new byte[(int) (file.length() - eventsRead)];
            file.seek(eventsRead);
            file.readFully(bytes);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                end--; // A line that is being written.
            }
            eventsRead += end;
            for (String line :
                    new String(bytes, 0, end, StandardCharsets.UTF_8).lines().toList()) {
                lastEvent = System.nanoTime();
                Event event = Event.read(line);
                done |= event instanceof Event.JvmDone;
                listener.accept(event);
            }
        }
    }

    private void dumpThreads() throws IOException, InterruptedException {
        new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/jstack").toString(), "" + process.pid())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start()
                .waitFor(1, TimeUnit.MINUTES);
    }

    private void kill() {
        RUNNING.end(process);
    }

    @Override
    public void close() {
        kill();
    }

    /** Whether this program is being stopped, so that no more JVMs start. */
    static boolean stopping() {
        return RUNNING.stopping;
    }

    /** The JVMs that run now. They end with this program, however it ends, and with whatever they have started. */
    private static final class Running {
        private final Set<Process> processes = new HashSet<>();
        private volatile boolean stopping;

        Running() {
            Runtime.getRuntime().addShutdownHook(new Thread(this::endAll));
        }

        synchronized Process start(ProcessBuilder builder) throws IOException {
            if (stopping) {
                throw new IOException("./verify is being stopped");
            }
            Process process = builder.start();
            processes.add(process);
            return process;
        }

        /** Nodes that tests have started end too. The keepers of database servers are left alone: they end their servers now. */
        synchronized void end(Process process) {
            List<ProcessHandle> nodes =
                    process.descendants().filter(Running::isJava).toList();
            process.destroyForcibly();
            nodes.forEach(ProcessHandle::destroyForcibly);
            processes.remove(process);
        }

        private static boolean isJava(ProcessHandle process) {
            return process.info()
                    .command()
                    .filter(command -> command.endsWith("/java"))
                    .isPresent();
        }

        private synchronized void endAll() {
            stopping = true;
            List.copyOf(processes).forEach(this::end);
        }
    }
}
