package dev.muster.chaos;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * A node in a JVM of its own, with this JVM's class path (see {@link SharedClasses}). Its main class prints {@value #READY} once the
 * node is up, and ends when its standard input does, so that it never outlives the JVM that started it.
 */
public final class NodeProcess implements AutoCloseable {
    /** The line by which a node says that it is up. */
    public static final String READY = "READY";

    /** What the command {@code muster node} prints instead. */
    private static final String COMMAND_IS_READY = " ready ";

    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration SIGNAL_LIMIT = Duration.ofMinutes(1);

    /** JVMs take most of their time to start; more of them at once than there are cores would only slow down each other and the tests. */
    private static final Semaphore STARTING = new Semaphore(Runtime.getRuntime().availableProcessors());

    private final Process process;
    private final BufferedWriter input;
    private final List<String> output = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final AtomicBoolean starting;
    private final Thread reader;

    private NodeProcess(Process process, AtomicBoolean starting) {
        this.process = process;
        this.starting = starting;
        this.input = process.outputWriter();
        this.reader = new Thread(this::read, "output-of-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** What all of them start with. */
    public static SharedClasses sharedClasses() {
        return Shared.CLASSES;
    }

    /** Packed when the first node is started. */
    private static final class Shared {
        static final SharedClasses CLASSES = SharedClasses.ofThisJvm();
    }

    /** Starts a JVM and does not wait for it. */
    public static NodeProcess launch(Class<?> main, List<String> jvmOptions, List<String> arguments) {
        return launch(List.of(), main, jvmOptions, arguments, Map.of());
    }

    /** Starts a JVM through a command that becomes the JVM in the end, such as {@code nsenter}; does not wait for it. */
    public static NodeProcess launch(
            List<String> prefix, Class<?> main, List<String> jvmOptions, List<String> arguments) {
        return launch(prefix, main, jvmOptions, arguments, Map.of());
    }

    /** Starts a JVM with additional environment variables; does not wait for it. */
    public static NodeProcess launch(
            Class<?> main, List<String> jvmOptions, List<String> arguments, Map<String, String> environment) {
        return launch(List.of(), main, jvmOptions, arguments, environment);
    }

    private static NodeProcess launch(
            List<String> prefix,
            Class<?> main,
            List<String> jvmOptions,
            List<String> arguments,
            Map<String, String> environment) {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        command.addAll(jvmOptions);
        command.addAll(sharedClasses().jvmOptions());
        command.add(main.getName());
        command.addAll(arguments);
        AtomicBoolean starting = new AtomicBoolean(mayStart());
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().putAll(environment);
            return new NodeProcess(builder.start(), starting);
        } catch (IOException e) {
            hasStarted(starting);
            throw new IllegalStateException("cannot start " + main.getName(), e);
        }
    }

    /** Waits for its turn, but not endlessly: others may wait for something else than their start. */
    private static boolean mayStart() {
        try {
            return STARTING.tryAcquire(SIGNAL_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void hasStarted(AtomicBoolean starting) {
        if (starting.compareAndSet(true, false)) {
            STARTING.release();
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            String line;
            while ((line = lines.readLine()) != null) {
                output.add(line);
                if (line.equals(READY)) {
                    ready.complete(null);
                }
                if (line.equals(READY) || line.contains(COMMAND_IS_READY)) {
                    hasStarted(starting);
                }
            }
        } catch (IOException e) {
            output.add("[output ended: " + e.getMessage() + "]");
        } finally {
            hasStarted(starting);
            ready.completeExceptionally(new IllegalStateException("the node ended before it was ready"));
        }
    }

    /** Waits until the node is up. */
    public NodeProcess awaitReady() {
        try {
            ready.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return this;
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException(
                    "the node did not come up within " + START_LIMIT.toSeconds() + " s:\n" + text(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Whether it has said that it is up. */
    public boolean isReady() {
        return ready.isDone() && !ready.isCompletedExceptionally();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it has printed so far. */
    public List<String> output() {
        return List.copyOf(output);
    }

    /** What it has printed so far, as one text. */
    public String text() {
        return String.join("\n", output);
    }

    /** Writes a line to its standard input and waits for the first new line of output that answers it. */
    public String ask(String question, Predicate<String> answer, Duration limit) {
        int seen = output.size();
        try {
            input.write(question);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            throw new IllegalStateException("cannot ask node " + pid() + "; it printed:\n" + text(), e);
        }
        long deadline = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() - deadline < 0) {
            Optional<String> found = output.stream().skip(seen).filter(answer).findFirst();
            if (found.isPresent()) {
                return found.get();
            }
            pause();
        }
        throw new IllegalStateException("node " + pid() + " did not answer '" + question + "':\n" + text());
    }

    /** Ends it without a word, as a power cut would, and waits until it is gone. */
    public void kill9() {
        signal("KILL");
        exitCode(SIGNAL_LIMIT);
    }

    /** Asks it to stop: SIGTERM. Does not wait. {@code Process.destroy} would close its input and output too. */
    public void terminate() {
        signal("TERM");
    }

    /** Freezes every thread of it, and returns when the system says that they stand still. */
    public void stop() {
        signal("STOP");
        awaitState(state -> state == 'T');
    }

    /** Lets a frozen process continue where it stood. */
    public void cont() {
        signal("CONT");
        awaitState(state -> state != 'T');
    }

    private void signal(String name) {
        signal(process.pid(), name);
    }

    /** Sends a signal to any process. */
    static void signal(long pid, String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start();
            if (!kill.waitFor(SIGNAL_LIMIT.toMillis(), TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid + " failed");
            }
        } catch (IOException e) {
            throw new IllegalStateException("there is no program 'kill' to send SIG" + name, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void awaitState(Predicate<Character> wanted) {
        long deadline = System.nanoTime() + SIGNAL_LIMIT.toNanos();
        while (!wanted.test(state())) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IllegalStateException("process " + pid() + " is in state " + state());
            }
            pause();
        }
    }

    /** The letter that Linux has for what the process does; T: frozen. */
    private char state() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            throw new IllegalStateException("process " + pid() + " is gone:\n" + text(), e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits for its end and returns its exit code: 128 plus the signal if one ended it. */
    public int exitCode(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("node " + pid() + " still runs after " + limit + ":\n" + text());
            }
            reader.join(SIGNAL_LIMIT.toMillis());
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Ends it, however it is. */
    @Override
    public void close() {
        if (process.isAlive()) {
            kill9();
        }
    }
}
