package dev.muster.cli.internal.jobs;

import dev.muster.internal.runtime.Names;
import dev.muster.job.JobOptions;
import dev.muster.job.Placement;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.List;
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

    @Option(
            names = "--capability",
            paramLabel = "C",
            description = "Only nodes with this capability may run it; or an expression, such as 'gpu&zone=eu!spot'.")
    private @Nullable String capability;

    @Option(
            names = "--require",
            paramLabel = "T",
            split = ",",
            description = "Only nodes with this capability, or this label as in zone=eu, may run it; may be repeated.")
    private List<String> required = List.of();

    @Option(
            names = "--forbid",
            paramLabel = "T",
            split = ",",
            description = "No node with this capability or label may run it; may be repeated.")
    private List<String> forbidden = List.of();

    @Option(
            names = "--on-node",
            paramLabel = "ID",
            split = ",",
            description = "Only this node may run it; may be repeated.")
    private List<String> nodes = List.of();

    @Option(
            names = "--not-on-node",
            paramLabel = "ID",
            split = ",",
            description = "This node may not run it; may be repeated.")
    private List<String> notNodes = List.of();

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
        return new JobOptions(queue, placement(), priority, maxAttempts, null, jobTimeout);
    }

    private @Nullable String placement() {
        String base = capability == null ? "" : capability.isEmpty() ? Names.require("capability", "") : capability;
        String text = Placement.canonical(base);
        if (!required.isEmpty() || !forbidden.isEmpty() || !nodes.isEmpty() || !notNodes.isEmpty()) {
            text = Placement.parse(text)
                    .require(required.toArray(String[]::new))
                    .forbid(forbidden.toArray(String[]::new))
                    .onNodes(nodes.toArray(String[]::new))
                    .notOnNodes(notNodes.toArray(String[]::new))
                    .text();
        }
        return text.isEmpty() ? null : text;
    }

    public boolean isEmpty() {
        return given().equals(JobOptions.NONE);
    }
}
