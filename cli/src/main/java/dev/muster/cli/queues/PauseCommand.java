package dev.muster.cli.queues;

import dev.muster.cli.console.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Pauses a queue. */
@Command(name = "pause", description = "Let nothing of a queue start until it is resumed; what runs, runs on.")
final class PauseCommand implements Callable<Integer> {
    @Mixin
    private OneQueue queue;

    @Override
    public Integer call() {
        queue.steer(true);
        return ExitCode.DONE;
    }
}
