package dev.muster.cli.internal.console;

/** The exit codes; scripts rely on the numbers. */
public final class ExitCode {
    public static final int DONE = 0;
    public static final int FAILED = 1;
    /** Bad usage or input. */
    public static final int USAGE = 2;
    /** The database, or with --server the gateway, does not answer. */
    public static final int NO_DATABASE = 3;

    private ExitCode() {}
}
