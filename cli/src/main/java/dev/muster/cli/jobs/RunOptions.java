package dev.muster.cli.jobs;

import dev.muster.job.JobOptions;
import dev.muster.job.Priority;
import dev.muster.runtime.Names;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a job runs and how often it may be tried: the options that enqueuing and crons share. */
public final class RunOptions {
    @Option(
            names = "--priority",
            paramLabel = "P",
            converter = Values.OfPriority.class,
            description = "background, low, normal, high or critical.")
    private @Nullable Priority priority;

    @Option(names = "--queue", paramLabel = "Q", description = "The job's queue. Default: the handler's queue.")
    private @Nullable String queue;

    @Option(names = "--capability", paramLabel = "C", description = "Only nodes with this capability may run it.")
    private @Nullable String capability;

    @Option(names = "--max-attempts", paramLabel = "N", description = "How often a job may be tried, 1 to 1000.")
    private @Nullable Integer maxAttempts;

    @Option(
            names = "--job-timeout",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "How long one attempt may run.")
    private @Nullable Duration jobTimeout;

    /** What was given. */
    public JobOptions given() {
        return new JobOptions(
                queue,
                capability == null ? null : Names.require("capability", capability),
                priority,
                maxAttempts,
                null,
                jobTimeout);
    }

    public boolean isEmpty() {
        return given().equals(JobOptions.NONE);
    }
}
