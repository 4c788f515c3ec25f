package dev.muster.cli.internal.queues;

import dev.muster.cli.internal.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Pauses a queue. */
@Command(name = "pause", description = "Start no more jobs of a queue until it is resumed. Running jobs continue.")
final class PauseCommand implements Callable<Integer> {
    @Mixin
    private OneQueue queue;

    @Override
    public Integer call() {
        queue.steer(true);
        return ExitCode.DONE;
    }
}
