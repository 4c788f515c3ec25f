package dev.muster.bench;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** Says on stderr what is going on: on a terminal a line that changes; elsewhere a line per measurement, and now and then. */
final class Progress {
    private static final String CLEAR_LINE = "\r\u001b[2K";

    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(15);

    private final PrintStream out;
    private final boolean live;
    private long spoke = System.nanoTime();

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

    /** What is being done now. */
    void now(String text) {
        if (live) {
            out.print(CLEAR_LINE + text);
            out.flush();
        } else if (System.nanoTime() - spoke > QUIET_NANOS) {
            done(text);
        }
    }

    /** What has been done; stays. */
    void done(String text) {
        spoke = System.nanoTime();
        out.println((live ? CLEAR_LINE : "") + text);
        out.flush();
    }
}
