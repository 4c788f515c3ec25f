package dev.muster.internal.process;

import java.util.Map;

/**
 * How a child process has ended.
 *
 * @param exitCode 128 and the number of the signal if a signal ended it
 * @param inTime false if it was killed because it had not ended within its time
 * @param output what it wrote to standard output, up to the limit
 * @param outputCut whether it wrote more
 * @param errors the last that it wrote to standard error
 */
record ChildEnd(int exitCode, boolean inTime, String output, boolean outputCut, String errors) {
    static final int KILLED = 137;

    private static final Map<Integer, String> SIGNALS = Map.ofEntries(
            Map.entry(1, "SIGHUP"),
            Map.entry(2, "SIGINT"),
            Map.entry(3, "SIGQUIT"),
            Map.entry(4, "SIGILL"),
            Map.entry(6, "SIGABRT"),
            Map.entry(7, "SIGBUS"),
            Map.entry(8, "SIGFPE"),
            Map.entry(9, "SIGKILL"),
            Map.entry(11, "SIGSEGV"),
            Map.entry(13, "SIGPIPE"),
            Map.entry(14, "SIGALRM"),
            Map.entry(15, "SIGTERM"),
            Map.entry(24, "SIGXCPU"),
            Map.entry(25, "SIGXFSZ"),
            Map.entry(31, "SIGSYS"));

    /** Whether it ended by a signal that terminals and supervisors send to a node and all its children, to stop the node. */
    boolean wasToldToStop() {
        return exitCode == 129 || exitCode == 130 || exitCode == 143;
    }

    /** Such as "exit code 137, which stands for the signal SIGKILL". */
    String exitText() {
        int signal = exitCode - 128;
        if (signal < 1 || signal > 64) {
            return "exit code " + exitCode;
        }
        return "exit code " + exitCode + ", which stands for the signal " + SIGNALS.getOrDefault(signal, "" + signal);
    }

    /** The failure of an attempt that ended in this way. */
    ProcessFailure failure(String what) {
        return failed(what + " ended with " + exitText());
    }

    /** A failure with this sentence and the end of what the child wrote to standard error. */
    ProcessFailure failed(String sentence) {
        String end = errors.strip();
        return new ProcessFailure(
                end.isEmpty()
                        ? sentence + " and wrote nothing to standard error"
                        : ProcessFailure.withEndOf(sentence + "; the end of its standard error:\n", end));
    }
}
