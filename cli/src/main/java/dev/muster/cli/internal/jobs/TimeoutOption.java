package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.CommandWait;
import dev.muster.cli.internal.console.Terminal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The option {@code --timeout} of commands that wait with {@code --wait}. */
public final class TimeoutOption {
    @Spec(Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--timeout",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "With --wait: stop waiting after this long.")
    private @Nullable Duration timeout;

    /** Refuses a timeout for a wait that was not asked for. */
    public void check(boolean wait) {
        if (timeout != null && !wait) {
            throw CommandFailed.badInput("--timeout needs --wait");
        }
    }

    /** Starts a wait that is as long as the option allows. */
    public CommandWait startWait() {
        return new CommandWait(new Terminal(command.commandLine().getErr()), timeout);
    }
}
