package dev.muster.internal.process;

import dev.muster.job.BackoffPolicy;
import dev.muster.job.JobHandler;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.RawJson;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/**
 * The child processes of one node: makes the handlers of executors of kind {@code process}. A thread of the executor that calls such a
 * handler starts a child and waits for it; if the thread is interrupted, the child and all its descendants are killed first.
 */
public final class ChildProcesses implements AutoCloseable {
    private final JsonCodec json;
    private final ChildLauncher launcher;

    /** Starts nothing: the first job starts the keeper. */
    public ChildProcesses(JsonCodec json) {
        this(json, Clock.system());
    }

    ChildProcesses(JsonCodec json, Clock clock) {
        this.json = json;
        this.launcher = new ChildLauncher(clock);
    }

    /**
     * The handlers of an executor with a command: one for each name.
     *
     * @param command the program and its arguments
     * @param memoryBytes how much memory the command may use
     */
    public List<JobHandler> commandHandlers(List<String> command, List<String> jobs, OptionalLong memoryBytes) {
        if (command.isEmpty() || command.get(0).isBlank()) {
            throw new MusterException("the command of the jobs " + jobs + " is empty");
        }
        CommandBody body = new CommandBody(launcher, command, memoryBytes, json);
        return jobs.stream()
                .map(name -> new JobHandler(
                        name,
                        new Lane("default", ""),
                        Priority.NORMAL,
                        new ProcessRetries(BackoffPolicy.DEFAULT),
                        null,
                        RawJson.class,
                        body))
                .toList();
    }

    /**
     * These handlers, changed so that each attempt runs in a new JVM. A child process has to be able to build them: by a {@code MusterApp}
     * that the service loader finds, or from a public class with a public constructor without parameters. A first child, started here, finds
     * out.
     *
     * @param memoryBytes how large the heap of each JVM may become
     * @throws MusterException with a sentence for each handler that a child cannot build
     */
    public List<JobHandler> ownJvmHandlers(Collection<JobHandler> handlers, OptionalLong memoryBytes) {
        return handlers.isEmpty() ? List.of() : OwnJvm.of(launcher, handlers, memoryBytes, json);
    }

    /** The keeper's process; -1 if it was not started yet. */
    long keeperPid() {
        return launcher.keeperPid();
    }

    /** Kills what is left of the children. Call it when no thread calls a handler any more. */
    @Override
    public void close() {
        launcher.close();
    }
}
