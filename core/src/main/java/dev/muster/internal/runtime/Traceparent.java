package dev.muster.internal.runtime;

import java.util.Optional;
import java.util.regex.Pattern;

/** The text by which W3C Trace Context names a span of a trace: {@code 00-<trace>-<span>-<flags>}. */
public final class Traceparent {
    /** Ids of zeros only are invalid, and so is version ff. */
    private static final Pattern FORM =
            Pattern.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

    /** The name of the header of requests that has it. */
    public static final String HEADER = "traceparent";

    private static final int LENGTH = 55;

    private Traceparent() {}

    public static boolean isValid(String text) {
        return FORM.matcher(text).matches();
    }

    /** Whether whoever sent it keeps the trace: the last bit of its flags. */
    public static boolean isSampled(String valid) {
        return (Character.digit(valid.charAt(LENGTH - 1), 16) & 1) == 1;
    }

    /**
     * What a header says. One of a later version may be longer; what is known of it is read as of version 00, as W3C Trace Context asks for.
     *
     * @return empty if it is not well-formed
     */
    public static Optional<String> ofHeader(String header) {
        String text = header.strip();
        boolean later = text.length() > LENGTH && text.charAt(LENGTH) == '-' && !text.startsWith("00");
        String known = later ? text.substring(0, LENGTH) : text;
        return isValid(known) ? Optional.of("00" + known.substring(2)) : Optional.empty();
    }
}
