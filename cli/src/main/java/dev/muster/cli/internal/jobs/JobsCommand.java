package dev.muster.cli.internal.jobs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Commands about jobs. */
@Command(
        name = "jobs",
        description = "Enqueue, list, show, cancel, retry, reschedule and reprioritise jobs, and read their logs.",
        subcommands = {
            EnqueueCommand.class,
            ListCommand.class,
            ShowCommand.class,
            LogsCommand.class,
            CancelCommand.class,
            RetryCommand.class,
            RescheduleCommand.class,
            ReprioritiseCommand.class
        })
public final class JobsCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "which one? enqueue, list, show, logs, cancel, retry, reschedule or reprioritise");
    }
}
