package dev.muster.job;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.helpers.FormattingTuple;
import org.slf4j.helpers.MessageFormatter;

/**
 * Writes log lines that are stored with a job in the database. Lines are written in chunks after a short delay, limited to 1,000
 * lines of 4,000 characters per attempt, and kept for {@code history.job_log_retain}. This does not replace the application's own
 * logging.
 *
 * <p>Messages can have arguments as in SLF4J: {@code log.info("imported {} of {}", done, all)}. A throwable as the last argument,
 * without its own {@code {}}, is stored with its stack trace.
 */
public interface JobLog {

    void info(String message);

    void warn(String message);

    void error(String message);

    /** Logs a line with an argument for each {@code {}}. */
    default void info(String format, @Nullable Object... args) {
        info(text(format, args));
    }

    /** Logs a warning with an argument for each {@code {}}. */
    default void warn(String format, @Nullable Object... args) {
        warn(text(format, args));
    }

    /** Logs an error with an argument for each {@code {}}. */
    default void error(String format, @Nullable Object... args) {
        error(text(format, args));
    }

    /** Logs a warning with a stack trace. */
    default void warn(String message, Throwable failure) {
        warn(text(message, failure));
    }

    /** Logs an error with a stack trace. */
    default void error(String message, Throwable failure) {
        error(text(message, failure));
    }

    private static String text(String format, @Nullable Object... args) {
        FormattingTuple formatted = MessageFormatter.arrayFormat(format, args);
        Throwable failure = formatted.getThrowable();
        if (failure == null) {
            return String.valueOf(formatted.getMessage());
        }
        StringWriter text = new StringWriter().append(formatted.getMessage()).append('\n');
        failure.printStackTrace(new PrintWriter(text));
        return text.toString().stripTrailing();
    }
}
