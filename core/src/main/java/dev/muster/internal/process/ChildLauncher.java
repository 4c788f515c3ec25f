package dev.muster.internal.process;

import dev.muster.internal.runtime.ProcessExit;
import dev.muster.job.JobContext;
import dev.muster.job.Snooze;
import dev.muster.runtime.Clock;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Starts child processes and waits for them; no process that they have left behind lives on. See the package description. */
final class ChildLauncher implements AutoCloseable {
    private static final String PREFIX = "MUSTER_";
    private static final String KEEPER = "MUSTER_KEEPER";
    private static final String CHILD = "MUSTER_CHILD";
    private static final int MAX_ERRORS = 8 * 1024;

    /** A signal that is sent to a node and its children reaches all of them within this time. */
    private static final Duration SIGNAL_SPREAD = Duration.ofSeconds(1);

    /** A pipe has room for at least this much, so that writing it never waits for the child. */
    private static final int FITS_IN_A_PIPE = 4_096;

    private static final long QUIET_MILLIS = 2_000;
    private static final long LOOK_AGAIN_MILLIS = 100;
    private static final Duration MENTIONED_AFTER = Duration.ofSeconds(5);

    private final Clock clock;
    private final String mark = UUID.randomUUID().toString();
    private @Nullable Path folder;
    private @Nullable Keeper keeper;
    private boolean closed;

    ChildLauncher(Clock clock) {
        this.clock = clock;
    }

    /**
     * What a child gets.
     *
     * @param command the program and its arguments
     * @param input what it can read from standard input
     * @param holdsInput whether its standard input stays open until it has ended, so that it notices the end of this JVM
     * @param maxOutput how many bytes of its standard output are kept
     * @param withoutVariables the variables of this process that it does not inherit
     */
    record Launch(
            List<String> command, byte[] input, boolean holdsInput, int maxOutput, Set<String> withoutVariables) {}

    /**
     * Runs a child for an attempt until it has ended. When this returns or throws, the child and all its descendants have ended.
     *
     * @throws IOException if it could not be started
     * @throws InterruptedException if the thread was interrupted, and the child was killed therefore
     */
    ChildEnd run(Launch launch, JobContext context) throws IOException, InterruptedException {
        try (JobPipe pipe = JobPipe.open(prepare(), context)) {
            ChildEnd end = run(
                    launch,
                    Map.of(
                            "MUSTER_JOB_ID",
                            context.id().toString(),
                            "MUSTER_JOB_NAME",
                            context.name(),
                            "MUSTER_JOB_ATTEMPT",
                            Integer.toString(context.attempt()),
                            "MUSTER_JOB_FENCE",
                            context.fence().timeline() + ":" + context.fence().token(),
                            "MUSTER_JOB_PIPE",
                            pipe.file().getPath(),
                            "MUSTER_NODE_ID",
                            context.nodeId()),
                    process -> {
                        process.waitFor();
                        return true;
                    });
            if (end.wasToldToStop() && nodeIsStopping()) {
                // The attempt does not count: Ctrl-C in a terminal, for example, reaches the node and all its children.
                throw new Snooze(Duration.ZERO);
            }
            return end;
        }
    }

    /** The signal may have reached the child a moment before the node. */
    private static boolean nodeIsStopping() throws InterruptedException {
        long deadline = System.nanoTime() + SIGNAL_SPREAD.toNanos();
        while (!ProcessExit.isUnderWay()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return true;
    }

    /**
     * The same without a job, which would have a timeout.
     *
     * @param limit after which the child is killed
     * @param mention called once, when it has run for a while
     */
    ChildEnd run(Launch launch, Duration limit, Runnable mention) throws IOException, InterruptedException {
        prepare();
        return run(launch, Map.of(), process -> hasEndedWithin(limit, process, mention));
    }

    private boolean hasEndedWithin(Duration limit, Process process, Runnable mention) throws InterruptedException {
        long start = clock.nanos();
        boolean mentioned = false;
        while (!process.waitFor(LOOK_AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
            long waited = clock.nanos() - start;
            if (waited >= limit.toNanos()) {
                return false;
            }
            if (!mentioned && waited >= MENTIONED_AFTER.toNanos()) {
                mentioned = true;
                mention.run();
            }
        }
        return true;
    }

    /** Waits for a child; returns false if it is to be killed. */
    @FunctionalInterface
    private interface Wait {
        boolean until(Process process) throws InterruptedException;
    }

    private ChildEnd run(Launch launch, Map<String, String> variables, Wait wait)
            throws IOException, InterruptedException {
        String child = UUID.randomUUID().toString();
        ProcessBuilder builder = new ProcessBuilder(launch.command());
        setEnvironment(builder.environment(), variables, child);
        builder.environment().keySet().removeAll(launch.withoutVariables());
        ProcessNumbers before = ProcessNumbers.now(ProcessTree.PROC);
        Process process = builder.start();
        return finish(process, new ProcessTree(process, child, before, ProcessTree.PROC), launch, wait);
    }

    /** Starts the keeper before the first child. */
    private synchronized Path prepare() throws IOException {
        if (closed) {
            throw new IOException("the node is closed");
        }
        // Something may clear old files out of the folder for temporary files.
        if (folder == null || keeper == null || !Files.isDirectory(folder)) {
            // Only its owner may enter a temporary folder.
            folder = Files.createTempDirectory("muster-jobs-");
            if (keeper == null) {
                keeper = new Keeper(mark, folder);
            } else {
                keeper.useFolder(folder);
            }
        }
        keeper.ensureRunning();
        return folder;
    }

    private void setEnvironment(Map<String, String> environment, Map<String, String> variables, String child) {
        // A node that runs in a child of another node passes the marks of that node on.
        Optional<String> outerKeeper = Optional.ofNullable(environment.get(KEEPER));
        Optional<String> outerChild = Optional.ofNullable(environment.get(CHILD));
        // The settings of the node are no business of its jobs, and some are secret.
        environment.keySet().removeIf(name -> name.startsWith(PREFIX));
        environment.put(KEEPER, outerKeeper.map(outer -> outer + " ").orElse("") + mark);
        environment.put(CHILD, outerChild.map(outer -> outer + " ").orElse("") + child);
        environment.putAll(variables);
    }

    private static ChildEnd finish(Process process, ProcessTree tree, Launch launch, Wait wait)
            throws InterruptedException {
        Collected output = Collected.beginning(launch.maxOutput());
        Collected errors = Collected.end(MAX_ERRORS);
        Thread outputReader = null;
        Thread errorReader = null;
        boolean ended = false;
        boolean inTime = false;
        try {
            outputReader = start(process, "output", () -> output.readAll(process.getInputStream()));
            errorReader = start(process, "errors", () -> errors.readAll(process.getErrorStream()));
            write(process, launch);
            inTime = wait.until(process);
            ended = true;
        } finally {
            tree.kill();
            if (ended) {
                join(outputReader, output);
                join(errorReader, errors);
            }
        }
        return new ChildEnd(
                process.isAlive() ? ChildEnd.KILLED : process.exitValue(),
                inTime,
                output.text(),
                output.isCut(),
                errors.text());
    }

    private static Thread start(Process process, String name, Runnable action) {
        Thread thread = new Thread(action, "muster-child-" + process.pid() + "-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void write(Process process, Launch launch) {
        Runnable writing = () -> write(process.getOutputStream(), launch);
        if (launch.input().length <= FITS_IN_A_PIPE) {
            writing.run();
        } else {
            start(process, "input", writing);
        }
    }

    private static void write(OutputStream out, Launch launch) {
        try {
            out.write(launch.input());
            out.flush();
        } catch (IOException e) {
            // The child has ended or has closed its input, which it may do.
        }
        if (!launch.holdsInput()) {
            closeQuietly(out);
        }
    }

    private static void closeQuietly(OutputStream out) {
        try {
            out.close();
        } catch (IOException e) {
            // The other end is closed.
        }
    }

    /**
     * Waits until all output of a process that has ended is read, though not forever: a process that nobody can find may hold the other
     * end of the pipe. It is taken for that if it has not written anything for a while.
     */
    private static void join(@Nullable Thread reader, Collected collected) {
        if (reader == null) {
            return;
        }
        boolean interrupted = Thread.interrupted();
        long before = -1;
        while (reader.isAlive() && before != collected.total()) {
            before = collected.total();
            try {
                reader.join(QUIET_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
                before = -1;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The keeper's process; -1 if there is none. */
    synchronized long keeperPid() {
        return keeper == null ? -1 : keeper.pid();
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (keeper != null) {
            keeper.close();
        }
    }
}
