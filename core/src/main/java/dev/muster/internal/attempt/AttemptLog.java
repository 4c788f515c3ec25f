package dev.muster.internal.attempt;

import dev.muster.internal.runtime.StorableText;
import dev.muster.job.JobLog;
import java.util.concurrent.atomic.AtomicInteger;

/** The log of one attempt, which limits its lines in number and length. */
public abstract class AttemptLog implements JobLog {
    private static final int MAX_LINES = 1_000;
    private static final int MAX_LENGTH = 4_000;

    private final AtomicInteger lines = new AtomicInteger();

    /** Keeps a line that is within the limits and that the database can store. */
    protected abstract void keep(String level, String line);

    @Override
    public final void info(String message) {
        add("info", message);
    }

    @Override
    public final void warn(String message) {
        add("warn", message);
    }

    @Override
    public final void error(String message) {
        add("error", message);
    }

    private void add(String level, String message) {
        int number = lines.incrementAndGet();
        if (number <= MAX_LINES) {
            String text = StorableText.of(String.valueOf(message));
            keep(level, text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…");
        } else if (number == MAX_LINES + 1) {
            keep("warn", "further lines of this attempt are dropped: " + MAX_LINES + " are kept");
        }
    }
}
