package dev.muster.document;

import dev.muster.job.RawJson;
import dev.muster.job.payload.JsonReader;
import dev.muster.job.payload.Jsonb.Digits;
import dev.muster.runtime.JsonCodec.JsonException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON as maps, lists, texts, numbers, booleans and null. Numbers keep all of their digits.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class Json {
    /** How many levels of objects and arrays a document may have, with the args and results in it. */
    public static final int MAX_DEPTH = 1_000;

    private Json() {}

    /**
     * Reads a text that is one JSON value: a {@code LinkedHashMap}, a {@code List}, a {@code String}, a {@code Boolean}, null, or {@link
     * Digits} for a number.
     *
     * @throws InvalidDocument if the text is not JSON, or an object in it has two members with the same name
     */
    public static @Nullable Object read(String text) {
        return read(text, MAX_DEPTH);
    }

    /**
     * Reads a text that is one JSON value.
     *
     * @param maxDepth how many levels of objects and arrays are allowed below the value
     * @throws InvalidDocument if the text is not JSON, has more levels, or an object in it has two members with the same name
     */
    public static @Nullable Object read(String text, int maxDepth) {
        try {
            return JsonReader.read(text, maxDepth);
        } catch (JsonException e) {
            throw new InvalidDocument("", "the document is not JSON: " + e.getMessage(), e);
        }
    }

    /** The value without blanks, members in their order. {@link RawJson} is embedded as it is. */
    public static String write(@Nullable Object value) {
        return text(value, null);
    }

    /** The value in many lines, as {@code -o json} prints it. */
    public static String pretty(@Nullable Object value) {
        return text(value, "");
    }

    /** An instant as ISO-8601 in UTC, to the microsecond, as the database keeps it. */
    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS).toString();
    }

    private static String text(@Nullable Object value, @Nullable String indent) {
        StringBuilder out = new StringBuilder();
        try {
            append(value, indent, out);
        } catch (StackOverflowError e) {
            throw new InvalidDocument("", "there are more levels than this thread has room for", e);
        }
        return out.toString();
    }

    /** @param indent the blanks before the members of this value's level; null to write without blanks */
    private static void append(@Nullable Object value, @Nullable String indent, StringBuilder out) {
        if (value instanceof Map<?, ?> object) {
            appendObject(object, indent, out);
        } else if (value instanceof Collection<?> items) {
            appendArray(items, indent, out);
        } else if (value instanceof RawJson raw) {
            if (indent == null) {
                out.append(raw.text());
            } else {
                append(read(raw.text()), indent, out);
            }
        } else if (value instanceof String text) {
            quote(text, out);
        } else if (value instanceof Instant time) {
            quote(time(time), out);
        } else {
            out.append(scalar(value));
        }
    }

    private static String scalar(@Nullable Object value) {
        if (value instanceof Digits digits) {
            return digits.text();
        }
        boolean number = value instanceof Integer
                || value instanceof Long
                || value instanceof BigInteger
                || value instanceof BigDecimal
                || value instanceof Double finite && Double.isFinite(finite);
        if (value == null || number || value instanceof Boolean) {
            return String.valueOf(value);
        }
        throw new IllegalArgumentException(
                "JSON has no form for " + value.getClass().getName() + " " + value);
    }

    private static void appendObject(Map<?, ?> object, @Nullable String indent, StringBuilder out) {
        if (object.isEmpty()) {
            out.append(indent == null ? "{}" : "{ }");
            return;
        }
        String inside = indent == null ? null : indent + "  ";
        String separator = "{";
        for (Map.Entry<?, ?> member : object.entrySet()) {
            out.append(separator);
            newLine(inside, out);
            quote(String.valueOf(member.getKey()), out);
            out.append(indent == null ? ":" : " : ");
            append(member.getValue(), inside, out);
            separator = ",";
        }
        newLine(indent, out);
        out.append('}');
    }

    private static void newLine(@Nullable String indent, StringBuilder out) {
        if (indent != null) {
            out.append('\n').append(indent);
        }
    }

    private static void appendArray(Collection<?> items, @Nullable String indent, StringBuilder out) {
        String blank = indent == null ? "" : " ";
        out.append('[').append(blank);
        for (Iterator<?> rest = items.iterator(); rest.hasNext(); ) {
            append(rest.next(), indent, out);
            out.append(rest.hasNext() ? "," : "").append(blank);
        }
        out.append(']');
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int plain = "\"\\\b\f\n\r\t".indexOf(c);
            if (plain >= 0) {
                out.append('\\').append("\"\\bfnrt".charAt(plain));
            } else if (c < ' ' || Character.isSurrogate(c) && !isPaired(text, i)) {
                // Half a pair has no form in UTF-8.
                out.append(String.format("\\u%04X", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private static boolean isPaired(String text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }
}
