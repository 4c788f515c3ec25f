package dev.muster.cli.console;

import java.io.PrintWriter;

/** A line on standard error that is rewritten in place; nothing at all where that is no terminal. */
public final class Terminal {
    private static final int DEFAULT_COLUMNS = 80;

    private final PrintWriter err;
    private final boolean interactive;
    private final int columns;
    private boolean dirty;

    /** The launcher knows whether standard error is a terminal; a JVM cannot tell. */
    public Terminal(PrintWriter err) {
        this.err = err;
        this.columns = Integer.getInteger("muster.terminal.columns", 0);
        this.interactive = columns > 0;
    }

    public boolean interactive() {
        return interactive;
    }

    public int columns() {
        return interactive ? columns : DEFAULT_COLUMNS;
    }

    /** Shows a passing line. */
    public void show(String line) {
        if (interactive) {
            err.print("\r\033[K" + Table.cut(line, columns - 1));
            err.flush();
            dirty = true;
        }
    }

    /** Removes the passing line. */
    public void clear() {
        if (dirty) {
            err.print("\r\033[K");
            err.flush();
            dirty = false;
        }
    }

    /** Prints a line that stays. */
    public void line(String line) {
        clear();
        err.println(line);
        err.flush();
    }
}
