package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Cancels a run. */
@Command(
        name = "cancel",
        description = "Ask a run to end. It starts no further step, runs its compensations, and is then cancelled.",
        footer = {"", "A run whose code no live node has cannot run its compensations: see 'muster workflows retire'."})
final class CancelCommand implements Callable<Integer> {
    @Mixin
    private OneRun run;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            defaultValue = "cancelled on the command line",
            description = "Why, for those who look at the run later.")
    private String reason;

    @Override
    public Integer call() {
        run.change("workflows.cancel", Map.of("reason", reason), (workflows, before) -> {
            if (!workflows.cancel(run.id(), reason)) {
                throw CommandFailed.failed("run " + run.id() + " has ended as "
                        + OneRun.require(workflows, run.id()).status().text());
            }
            return "asked to end: " + run.id();
        });
        return ExitCode.DONE;
    }
}
