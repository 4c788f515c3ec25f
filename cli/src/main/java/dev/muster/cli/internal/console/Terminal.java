package dev.muster.cli.internal.console;

import java.io.PrintWriter;
import java.util.List;

/** A status line on standard error that is rewritten in place; it prints nothing if standard error is not a terminal. */
public final class Terminal {
    /** The system property with the width of the terminal that standard error is; set by the launcher script. */
    static final String COLUMNS = "muster.terminal.columns";

    private static final int DEFAULT_COLUMNS = 80;

    private final PrintWriter err;

    /** The same, for what steers the terminal. */
    private final PrintWriter control;

    private final boolean interactive;
    private final int columns;
    private boolean dirty;
    private int linesAbove;

    /** The launcher script passes whether standard error is a terminal, because a JVM cannot find out. */
    public Terminal(PrintWriter err) {
        this(err, Integer.getInteger(COLUMNS, 0));
    }

    /** @param columns 0 if standard error is no terminal */
    Terminal(PrintWriter err, int columns) {
        this.err = err;
        this.control = PlainText.unguarded(err);
        this.columns = columns;
        this.interactive = columns > 0;
    }

    public boolean interactive() {
        return interactive;
    }

    public int columns() {
        return interactive ? columns : DEFAULT_COLUMNS;
    }

    /** Shows or replaces the status line. */
    public void show(String line) {
        if (interactive) {
            control.print("\r\033[K" + Table.cut(Table.oneLine(line), columns - 1));
            control.flush();
            dirty = true;
        }
    }

    /** Shows or replaces several lines. */
    public void redraw(List<String> lines) {
        if (interactive) {
            clear();
            lines.forEach(line -> control.print(Table.cut(Table.oneLine(line), columns - 1) + "\n"));
            control.flush();
            linesAbove = lines.size();
            dirty = true;
        }
    }

    /** Removes the status line, or all lines of {@link #redraw}. */
    public void clear() {
        if (dirty) {
            control.print(linesAbove == 0 ? "\r\033[K" : "\r\033[" + linesAbove + "A\033[J");
            linesAbove = 0;
            control.flush();
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
