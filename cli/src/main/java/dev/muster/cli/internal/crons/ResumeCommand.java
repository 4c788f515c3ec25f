package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.schedule.Crons;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lets a paused cron tick again. */
@Command(name = "resume", description = "Let a paused cron tick again, from its next tick on.")
final class ResumeCommand implements Callable<Integer> {
    @Mixin
    private OneCron cron;

    @Override
    public Integer call() {
        cron.steer("crons.resume", Crons::resume);
        return ExitCode.DONE;
    }
}
