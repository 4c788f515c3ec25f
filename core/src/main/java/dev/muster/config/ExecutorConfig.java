package dev.muster.config;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One {@code [executors.NAME]} section.
 *
 * @param name the name that rules use
 * @param kind what runs a job. Default: threads
 * @param size how many jobs it runs at once, 1 to 10000; one of kind custom never runs more than its capacity. Default: {@code
 *     worker.concurrency} for threads, 1000 for virtual, the number of processors for process, 10000 for custom
 * @param queue how many claimed jobs may wait in the node for a free slot, 0 to 4000; if absent, Muster decides from how long jobs take.
 *     Default: {@code worker.prefetch}
 * @param command the program that runs the jobs, and its arguments; empty if there is none. Only for process. Default: empty
 * @param jobs the names of the jobs that the command runs; empty if there is no command. Default: empty
 * @param memoryBytes how much memory a child may use, 16m to 1024g. Only for process. Default: none
 */
public record ExecutorConfig(
        String name,
        Kind kind,
        int size,
        Optional<Integer> queue,
        List<String> command,
        List<String> jobs,
        OptionalLong memoryBytes) {

    /** The largest size, and what an executor of kind custom has if no other size is given: its capacity limits it. */
    public static final int MAX_SIZE = 10_000;

    private static final int VIRTUAL_SIZE = 1000;

    public ExecutorConfig {
        command = List.copyOf(command);
        jobs = List.copyOf(jobs);
    }

    static ExecutorConfig from(String name, Values values) {
        Kind kind = values.get(ExecutorsConfig.KIND.in(name));
        return new ExecutorConfig(
                name,
                kind,
                values.get(ExecutorsConfig.SIZE.in(name)).orElseGet(() -> automaticSize(kind, values)),
                values.get(ExecutorsConfig.QUEUE.in(name)).or(() -> values.get(WorkerConfig.PREFETCH)),
                values.get(ExecutorsConfig.COMMAND.in(name)),
                values.get(ExecutorsConfig.JOBS.in(name)),
                values.get(ExecutorsConfig.MEMORY.in(name))
                        .map(OptionalLong::of)
                        .orElse(OptionalLong.empty()));
    }

    private static int automaticSize(Kind kind, Values values) {
        return switch (kind) {
            case THREADS -> values.get(WorkerConfig.CONCURRENCY);
            case CUSTOM -> MAX_SIZE;
            case VIRTUAL -> VIRTUAL_SIZE;
            case PROCESS -> Runtime.getRuntime().availableProcessors();
        };
    }

    /** Hides passwords in the command. */
    @Override
    public String toString() {
        return "ExecutorConfig[name=" + name
                + ", kind=" + kind
                + ", size=" + size
                + ", queue=" + queue
                + ", command=" + Secrets.hide(command.toString())
                + ", jobs=" + jobs
                + ", memoryBytes=" + memoryBytes
                + "]";
    }

    /** What runs a job. */
    public enum Kind {
        /** A pool of threads. */
        THREADS,
        /** A virtual thread for each job; needs Java 21. */
        VIRTUAL,
        /** A child process for each job. */
        PROCESS,
        /** An executor that the program brings. */
        CUSTOM
    }
}
