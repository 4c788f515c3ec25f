package dev.muster.bench;

import java.io.PrintStream;

/** Says on stderr what is going on: a line that changes on a terminal, one line per measurement elsewhere. */
final class Progress {
    private static final String CLEAR_LINE = "\r\u001b[2K";

    private final PrintStream out;
    private final boolean live;

    Progress(PrintStream out, boolean live) {
        this.out = out;
        this.live = live;
    }

    static Progress ofProcess() {
        return new Progress(System.err, System.console() != null);
    }

    static Progress silent() {
        return new Progress(new PrintStream(PrintStream.nullOutputStream()), false);
    }

    /** What is being done now; shown on a terminal only. */
    void now(String text) {
        if (live) {
            out.print(CLEAR_LINE + text);
            out.flush();
        }
    }

    /** What has been done; stays. */
    void done(String text) {
        out.println((live ? CLEAR_LINE : "") + text);
        out.flush();
    }
}
