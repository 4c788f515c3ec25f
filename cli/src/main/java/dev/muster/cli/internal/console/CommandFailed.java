package dev.muster.cli.internal.console;

import dev.muster.runtime.MusterException;
import org.jspecify.annotations.Nullable;

/** Ends a command with a message and an exit code. */
public final class CommandFailed extends MusterException {
    private static final long serialVersionUID = 1L;
    private final int exitCode;

    private CommandFailed(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The command could not do what it was told. */
    public static CommandFailed failed(String message) {
        return new CommandFailed(ExitCode.FAILED, message, null);
    }

    /** The command could not do what it was told, because of {@code cause}. */
    public static CommandFailed failed(String message, Throwable cause) {
        return new CommandFailed(ExitCode.FAILED, message, cause);
    }

    /** The command's options or arguments are wrong. */
    public static CommandFailed badInput(String message) {
        return new CommandFailed(ExitCode.USAGE, message, null);
    }

    public static CommandFailed badInput(String message, Throwable cause) {
        return new CommandFailed(ExitCode.USAGE, message, cause);
    }

    public int exitCode() {
        return exitCode;
    }
}
