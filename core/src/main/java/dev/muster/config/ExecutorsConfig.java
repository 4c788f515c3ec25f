package dev.muster.config;

import dev.muster.config.ExecutorConfig.Kind;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code [executors.NAME]} sections: what runs the jobs of this node.
 *
 * @param byName the executors in the order in which they were defined; {@code default}, which always exists, comes first
 */
public record ExecutorsConfig(Map<String, ExecutorConfig> byName) {
    /** The executor that always exists. */
    public static final String DEFAULT = "default";

    static final NamedSection SECTION =
            new NamedSection("executors", "executor", new ExecutorNameType(), List.of(DEFAULT));

    static final Setting<Kind> KIND = SECTION.each()
            .setting(
                    "kind",
                    ValueType.choice(Kind.class),
                    "threads",
                    "what runs a job: a thread, a virtual thread (Java 21), a child process, or an executor of your own");
    static final Setting<Optional<Integer>> SIZE = SECTION.each()
            .automatic(
                    "size",
                    ValueType.integer(1, ExecutorConfig.MAX_SIZE),
                    "how many jobs it runs at once; auto: worker.concurrency, virtual 1000, process one per processor");
    static final Setting<Optional<Integer>> QUEUE = SECTION.each()
            .automatic(
                    "queue",
                    ValueType.integer(0, 4000),
                    "how many claimed jobs may wait in the node for a free slot of it; auto is worker.prefetch");
    static final Setting<List<String>> COMMAND = SECTION.each()
            .setting(
                    "command",
                    new CommandType(),
                    "",
                    "only process: the program that runs the jobs, with its arguments; without it, a JVM of its own");
    static final Setting<List<String>> JOBS = SECTION.each()
            .setting("jobs", ValueType.names("job"), "", "only process: names of the jobs that the command runs");
    static final Setting<Optional<Long>> MEMORY = SECTION.each()
            .optionalOrNone(
                    "memory", ValueType.memory(1L << 24, 1L << 40), "only process: how much memory a child may use");

    public ExecutorsConfig {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    static ExecutorsConfig from(Values values) {
        Map<String, ExecutorConfig> byName = new LinkedHashMap<>();
        for (String name : values.names(SECTION)) {
            byName.put(name, ExecutorConfig.from(name, values));
        }
        return new ExecutorsConfig(byName);
    }

    /** The executor whose command runs this job, if one lists it. */
    public Optional<ExecutorConfig> listing(String job) {
        return byName.values().stream()
                .filter(executor -> executor.jobs().contains(job))
                .findFirst();
    }
}
