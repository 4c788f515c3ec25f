package dev.muster.cli.internal.queues;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.job.JobRate;
import dev.muster.job.QueueLimit;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Sets or removes the limit of a queue. */
@Command(
        name = "limit",
        description = {
            "Limit how many jobs of a queue run at a time, or start in a time, on all nodes together.",
            "What is given replaces the queue's limit as a whole. Jobs that are already running continue, and count."
        })
final class LimitCommand implements Callable<Integer> {
    @Mixin
    private OneQueue queue;

    @Option(
            names = "--max",
            paramLabel = "N",
            description = "At most N jobs at a time, 0 to 1,000,000. 0 lets none start.")
    private Integer max;

    @Option(
            names = "--rate",
            paramLabel = "N/D",
            description = "At most N jobs in a time, evenly: 100/1m, 5/s, 1000/1h.")
    private String rate;

    @Option(
            names = "--burst",
            paramLabel = "N",
            description = "With --rate: at most N jobs at once. Default: those of a tenth of a second, at least 1.")
    private Integer burst;

    @Option(names = "--none", description = "Remove the limit.")
    private boolean none;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        boolean some = max != null || rate != null;
        if (none == some) {
            throw wrong(some ? "--none goes with neither --max nor --rate" : "give --max, --rate or both, or --none");
        }
        if (burst != null && rate == null) {
            throw wrong("--burst goes with --rate only");
        }
        queue.limit(QueueLimit.of(max, rate == null ? null : rate()));
        return ExitCode.DONE;
    }

    private JobRate rate() {
        JobRate parsed = JobRate.parse(rate);
        return burst == null ? parsed : parsed.withBurst(burst);
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
