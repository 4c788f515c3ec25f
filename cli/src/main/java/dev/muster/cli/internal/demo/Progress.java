package dev.muster.cli.internal.demo;

import dev.muster.cli.internal.console.Bar;
import dev.muster.cli.internal.console.Terminal;
import java.util.concurrent.TimeUnit;

/** Shows the progress: a bar on a terminal, otherwise a line per second. */
final class Progress {
    private static final Bar BAR = new Bar(30);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Terminal terminal;
    private final int total;
    private final long start = System.nanoTime();
    private long lastLine = start;
    private long rateSince = start;
    private int rateFrom;
    private double rate;

    Progress(Terminal terminal, int total) {
        this.terminal = terminal;
        this.total = total;
    }

    /** Prints what just happened. */
    void event(String text) {
        terminal.line("%5.1f s  %s".formatted(elapsed(), text));
    }

    void show(int done, long nodes) {
        long now = System.nanoTime();
        if (now - rateSince > LINE_NANOS / 2) {
            rate = (done - rateFrom) / ((now - rateSince) / 1e9);
            rateSince = now;
            rateFrom = done;
        }
        if (terminal.interactive()) {
            terminal.show("%5.1f s  %s %d/%d  %.0f jobs/s  %d nodes"
                    .formatted(elapsed(), BAR.of(done, total), done, total, rate, nodes));
        } else if (now - lastLine > LINE_NANOS) {
            lastLine = now;
            event("%d/%d ended, %.0f jobs/s, %d nodes".formatted(done, total, rate, nodes));
        }
    }

    private double elapsed() {
        return (System.nanoTime() - start) / 1e9;
    }
}
