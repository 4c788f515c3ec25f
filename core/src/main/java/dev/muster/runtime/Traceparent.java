package dev.muster.runtime;

import java.util.regex.Pattern;

/** The text by which W3C Trace Context names a span of a trace: {@code 00-<trace>-<span>-<flags>}. */
public final class Traceparent {
    /** Ids of zeros only are invalid, and so is version ff. */
    private static final Pattern FORM =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    private Traceparent() {}

    public static boolean isValid(String text) {
        return FORM.matcher(text).matches();
    }
}
