package dev.muster.worker;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A failure as it stands in the database: type, message and stack, short enough to keep, free of what PostgreSQL refuses. */
final class ErrorText {
    private static final int MAX_LENGTH = 8_000;

    private ErrorText() {}

    static String of(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException | Error e) {
            // An exception whose own message throws must not take its job's outcome with it.
            text.append(failure.getClass().getName());
        }
        String all = text.toString().strip().replace('\0', '\uFFFD');
        return all.length() <= MAX_LENGTH ? all : all.substring(0, MAX_LENGTH) + "…";
    }
}
