package dev.muster.document.internal;

import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.job.RawJson;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, texts, numbers, booleans and null as JSON. */
final class JsonWriter {
    /** Texts of this length are encoded before more is added. */
    private static final int PIECE = 1 << 16;

    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private final StringBuilder out = new StringBuilder();

    /** What has been encoded; null if the text is wanted in one piece. */
    private final @Nullable Utf8Pieces pieces;

    private JsonWriter(@Nullable Utf8Pieces pieces) {
        this.pieces = pieces;
    }

    /** @param indent the blanks before the members of the value; null to write without blanks */
    static String text(@Nullable Object value, @Nullable String indent) {
        JsonWriter writer = new JsonWriter(null);
        writer.write(value, indent);
        return writer.out.toString();
    }

    static Utf8Pieces utf8(@Nullable Object value) {
        Utf8Pieces pieces = new Utf8Pieces();
        JsonWriter writer = new JsonWriter(pieces);
        writer.write(value, null);
        writer.encode(pieces);
        return pieces;
    }

    private void write(@Nullable Object value, @Nullable String indent) {
        try {
            append(value, indent);
        } catch (StackOverflowError e) {
            throw new InvalidDocument("", "there are more levels than this thread has room for", e);
        }
    }

    /** @param indent the blanks before the members of this value's level; null to write without blanks */
    private void append(@Nullable Object value, @Nullable String indent) {
        if (value instanceof Map<?, ?> object) {
            appendObject(object, indent);
        } else if (value instanceof Collection<?> items) {
            appendArray(items, indent);
        } else if (value instanceof RawJson raw) {
            appendRaw(raw.text(), indent);
        } else if (value instanceof String text) {
            quote(text);
        } else if (value instanceof Instant time) {
            quote(Json.time(time));
        } else {
            out.append(scalar(value));
        }
        encodeIfLong();
    }

    private void appendRaw(String json, @Nullable String indent) {
        if (indent != null) {
            append(Json.read(json), indent);
        } else if (pieces != null && json.length() >= PIECE) {
            encode(pieces);
            pieces.add(json);
        } else {
            out.append(json);
        }
    }

    private void encodeIfLong() {
        if (pieces != null && out.length() >= PIECE) {
            encode(pieces);
        }
    }

    private void encode(Utf8Pieces pieces) {
        pieces.add(out.toString());
        out.setLength(0);
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

    private void appendObject(Map<?, ?> object, @Nullable String indent) {
        if (object.isEmpty()) {
            out.append(indent == null ? "{}" : "{ }");
            return;
        }
        String inside = indent == null ? null : indent + "  ";
        String separator = "{";
        for (Map.Entry<?, ?> member : object.entrySet()) {
            out.append(separator);
            newLine(inside);
            quote(String.valueOf(member.getKey()));
            out.append(indent == null ? ":" : " : ");
            append(member.getValue(), inside);
            separator = ",";
        }
        newLine(indent);
        out.append('}');
    }

    private void newLine(@Nullable String indent) {
        if (indent != null) {
            out.append('\n').append(indent);
        }
    }

    private void appendArray(Collection<?> items, @Nullable String indent) {
        String blank = indent == null ? "" : " ";
        out.append('[').append(blank);
        for (Iterator<?> rest = items.iterator(); rest.hasNext(); ) {
            append(rest.next(), indent);
            out.append(rest.hasNext() ? "," : "").append(blank);
        }
        out.append(']');
    }

    private void quote(String text) {
        out.append('"');
        int begun = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isPlain(text, i, c)) {
                out.append(text, begun, i);
                escape(c);
                begun = i + 1;
            }
        }
        out.append(text, begun, text.length()).append('"');
    }

    /** Half a pair has no form in UTF-8. */
    private static boolean isPlain(String text, int at, char c) {
        return c >= ' ' && c != '"' && c != '\\' && (!Character.isSurrogate(c) || isPaired(text, at));
    }

    private void escape(char c) {
        int known = "\"\\\b\f\n\r\t".indexOf(c);
        if (known >= 0) {
            out.append('\\').append("\"\\bfnrt".charAt(known));
        } else {
            out.append("\\u");
            for (int shift = 12; shift >= 0; shift -= 4) {
                out.append(HEX[c >> shift & 0xF]);
            }
        }
    }

    private static boolean isPaired(String text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }
}
