package dev.muster.internal.attempt;

import dev.muster.internal.runtime.StorableText;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Formats a failure for the database: type, message and stack trace, shortened, and without characters PostgreSQL refuses. */
public final class ErrorText {
    private static final int MAX_LENGTH = 8_000;

    private ErrorText() {}

    /** The text that is stored as the error of a job whose attempt failed in this way. */
    public static String of(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException | Error e) {
            // If the exception's own message throws, the job must still get an outcome.
            text.append(failure.getClass().getName());
        }
        return of(text.toString().strip());
    }

    /** This text, shortened, and without characters PostgreSQL refuses. */
    static String of(String text) {
        String all = StorableText.of(text);
        return all.length() <= MAX_LENGTH ? all : all.substring(0, MAX_LENGTH) + "…";
    }
}
