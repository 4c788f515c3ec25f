package dev.muster.internal.runtime;

import dev.muster.runtime.JsonCodec.JsonException;
import java.util.HexFormat;

/**
 * A JSON text that may be stored, because it does not grow when it is read. It is the only thing that {@link dev.muster.internal.job.payload.Payloads} seals, and this is the
 * only rule about what may be stored: for args, inputs, results and events alike, whether they come from Java, over HTTP or from the command
 * line, and with encryption as without.
 *
 * <p>PostgreSQL keeps {@code 1e131071} in ten bytes and prints all of its 131,072 digits; it cannot store U+0000, and would store a question
 * mark for half a surrogate pair. So a text is refused if a number in it has more than {@value #MAX_DIGITS} characters when it is written
 * out, if it has more than {@value #MAX_DEPTH} levels, or if there is such a character in a string or in a member's name. How large it may be
 * is up to whoever stores it, and at most {@value #MAX_BYTES} bytes.
 *
 * <p>It is looked at once, from its beginning to its end, and nothing is copied. That it is JSON is taken for granted: what Muster's own
 * codecs have written is, and a {@link dev.muster.job.RawJson} is checked by the codec first.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class StorableJson {
    /** How many characters a number may have without an exponent, its sign and its point included: as many as Jackson reads. */
    public static final int MAX_DIGITS = 1_000;

    /** How many levels of objects and arrays there may be: as many as the codecs read and write. */
    public static final int MAX_DEPTH = 200;

    /** How large a value may be as it is stored, before it is encrypted. Larger data belongs elsewhere, with a reference to it here. */
    public static final int MAX_BYTES = 1 << 20;

    private static final String HALF = "half a surrogate pair";

    private final String text;
    private final long bytes;

    private StorableJson(String text, long bytes) {
        this.text = text;
        this.bytes = bytes;
    }

    /**
     * Checks a text, whatever its size is.
     *
     * @throws JsonException with a sentence that says what cannot be stored
     */
    public static StorableJson of(String json) {
        return new StorableJson(json, bytes(json));
    }

    public String text() {
        return text;
    }

    /**
     * How many bytes the text has at most when it comes back from the database, in UTF-8: with a blank behind each comma and colon, with numbers
     * written out, and with the escapes that PostgreSQL uses.
     */
    public long bytes() {
        return bytes;
    }

    public boolean isTooLarge() {
        return bytes > MAX_BYTES;
    }

    /** The same value in the form in which it comes back from the database. */
    public StorableJson asStored() {
        return new StorableJson(Jsonb.asStored(text), bytes);
    }

    private static long bytes(String json) {
        long bytes = 0;
        int depth = 0;
        int length = json.length();
        int at = 0;
        while (at < length) {
            char c = json.charAt(at);
            int from = at;
            at++;
            if (c == '"') {
                boolean plain = true;
                while (at < length && json.charAt(at) != '"') {
                    char in = json.charAt(at);
                    plain &= in >= ' ' && in < 0x80 && in != '\\';
                    at += in == '\\' ? 2 : 1;
                }
                at = Math.min(length, at + 1);
                bytes += plain ? at - from : bytesOfText(json, from, at);
            } else if (c == '-' || isDigit(c)) {
                while (at < length && isPart(json.charAt(at))) {
                    at++;
                }
                bytes += writtenOut(json, from, at);
            } else if (c == ',' || c == ':') {
                bytes += 2;
            } else if (c > ' ') {
                bytes++;
                depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
                if (depth > MAX_DEPTH) {
                    throw new JsonException("there are more than " + MAX_DEPTH + " levels", null);
                }
            }
        }
        return bytes;
    }

    /** For a text in quotation marks with something else in it than printable ASCII. */
    private static long bytesOfText(String json, int from, int end) {
        long bytes = 1;
        // The first half of a pair that the next character has to complete, in the same way: 'u' if escaped, 'c' if
        // not; 0 if there is none.
        char begun = 0;
        for (int i = from + 1; i < end; i++) {
            char c = json.charAt(i);
            char form = 'c';
            if (c == '\\') {
                boolean number = isUnicode(json, i + 1);
                c = number ? (char) HexFormat.fromHexDigits(json, i + 2, i + 6) : meant(json, i + 1);
                form = 'u';
                i += number ? 5 : 1;
                bytes += escaped(c);
            } else {
                bytes += utf8(c);
            }
            if (c == 0) {
                throw unstorable("the character U+0000");
            }
            if (begun != (Character.isLowSurrogate(c) ? form : 0)) {
                throw unstorable(HALF);
            }
            begun = Character.isHighSurrogate(c) ? form : 0;
        }
        return bytes;
    }

    private static JsonException unstorable(String what) {
        return new JsonException("a text contains " + what + ", which PostgreSQL cannot store", null);
    }

    private static boolean isUnicode(String json, int at) {
        if (at + 4 >= json.length() || json.charAt(at) != 'u') {
            return false;
        }
        for (int i = at + 1; i <= at + 4; i++) {
            if (!HexFormat.isHexDigit(json.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    /** What an escape without a number stands for. */
    private static char meant(String json, int at) {
        int escape = at < json.length() ? "\"\\/bfnrt".indexOf(json.charAt(at)) : -1;
        return escape < 0 ? ' ' : "\"\\/\b\f\n\r\t".charAt(escape);
    }

    /** How many bytes a character has that was escaped, which PostgreSQL may escape, too. */
    private static int escaped(char c) {
        if ("\"\\\b\f\n\r\t".indexOf(c) >= 0) {
            return 2;
        }
        return c < ' ' ? 6 : utf8(c);
    }

    private static int utf8(char c) {
        if (c < 0x80) {
            return 1;
        }
        return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }

    private static boolean isPart(char c) {
        return isDigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** How many characters the number has without an exponent. */
    private static long writtenOut(String json, int from, int end) {
        if (end - from > MAX_DIGITS) {
            throw tooManyDigits();
        }
        // Zeros before the first digit that counts, all digits, and those behind the point.
        int leadingZeros = 0;
        int digits = 0;
        int behindPoint = 0;
        boolean point = false;
        boolean counts = false;
        int at = json.charAt(from) == '-' ? from + 1 : from;
        while (at < end && (isDigit(json.charAt(at)) || json.charAt(at) == '.')) {
            if (json.charAt(at) == '.') {
                point = true;
            } else {
                counts |= json.charAt(at) != '0';
                leadingZeros += counts ? 0 : 1;
                digits++;
                behindPoint += point ? 1 : 0;
            }
            at++;
        }
        int exponent = at < end ? exponent(json, at + 1, end) : 0;
        int fraction = Math.max(0, behindPoint - exponent);
        int whole = Math.max(1, digits - leadingZeros - behindPoint + exponent);
        int sign = counts && json.charAt(from) == '-' ? 1 : 0;
        long written = sign + (counts ? whole : 1) + (fraction == 0 ? 0 : 1 + fraction);
        if (written > MAX_DIGITS) {
            throw tooManyDigits();
        }
        return written;
    }

    /** @throws JsonException if it is larger than any that a short number can have; PostgreSQL refuses some of these even for zero */
    private static int exponent(String json, int from, int end) {
        int exponent = 0;
        for (int i = from; i < end; i++) {
            if (isDigit(json.charAt(i))) {
                exponent = 10 * exponent + json.charAt(i) - '0';
            }
            if (exponent > 2 * MAX_DIGITS) {
                throw tooManyDigits();
            }
        }
        return from < end && json.charAt(from) == '-' ? -exponent : exponent;
    }

    private static JsonException tooManyDigits() {
        return new JsonException("a number has more than " + MAX_DIGITS + " digits when it is written out", null);
    }
}
