package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.workflow.RunStatus;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Retries a failed run. */
@Command(name = "retry", description = "Let a failed run continue with the step, or the compensation, that failed.")
final class RetryCommand implements Callable<Integer> {
    @Mixin
    private OneRun run;

    @Override
    public Integer call() {
        run.change("workflows.retry", Map.of(), (workflows, before) -> {
            if (!workflows.retry(run.id())) {
                throw CommandFailed.failed("run " + run.id() + " is "
                        + (before.status() == RunStatus.FAILED
                                ? "being retried already"
                                : before.status().text())
                        + "; only a failed one can be retried");
            }
            return "continues: " + run.id();
        });
        return ExitCode.DONE;
    }
}
