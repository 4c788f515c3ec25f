package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.console.ExitCode;
import dev.muster.schedule.Crons;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Pauses a cron. */
@Command(name = "pause", description = "Stop a cron's ticks. Ticks that pass while it is paused are dropped.")
final class PauseCommand implements Callable<Integer> {
    @Mixin
    private OneCron cron;

    @Override
    public Integer call() {
        cron.steer("crons.pause", Crons::pause);
        return ExitCode.DONE;
    }
}
