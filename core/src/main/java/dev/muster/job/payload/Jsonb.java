package dev.muster.job.payload;

import dev.muster.runtime.JsonCodec.JsonException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON, and prints it as PostgreSQL's jsonb does: the same text for the same value, whatever its blanks, escapes, order of members
 * and notation of numbers. For values that must be compared but that the database must not see, and for values that are put together from
 * others without binding them to types.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class Jsonb {
    private static final int MAX_DEPTH = 1_000;
    private static final int MAX_DIGITS = 1_000;

    /** The order of an object's members in jsonb: shorter names first. */
    private static final Comparator<byte[]> ORDER =
            Comparator.<byte[]>comparingInt(name -> name.length).thenComparing(Arrays::compareUnsigned);

    /** A number by its digits. */
    public record Digits(String text) {}

    private Jsonb() {}

    /** The text that {@code text::jsonb::text} returns, except for numbers that are very long. */
    static String normal(String text) {
        return write(read(text));
    }

    /**
     * The text that comes back if this one is stored as jsonb.
     *
     * @throws JsonException if the text is not JSON, is nested too deeply, or has a number of more than 1,000 digits, which may need no more
     *     than ten characters
     */
    public static String asStored(String text) {
        return write(JsonReader.read(text, MAX_DEPTH, number -> new Digits(fewDigits(number))));
    }

    private static String fewDigits(String number) {
        String digits = "";
        if (number.length() <= MAX_DIGITS) {
            try {
                BigDecimal value = new BigDecimal(number);
                boolean few = Math.max(value.precision(), Math.abs((long) value.scale())) <= MAX_DIGITS;
                digits = few ? value.toPlainString() : "";
            } catch (NumberFormatException e) {
                // Its exponent has more than ten digits.
            }
        }
        if (digits.isEmpty()) {
            throw new JsonException("a number has more than " + MAX_DIGITS + " digits", null);
        }
        return digits;
    }

    /**
     * Maps, lists, strings, booleans, null, and numbers as {@link Digits}.
     *
     * @throws JsonException if the text is not JSON
     */
    public static @Nullable Object read(String text) {
        return JsonReader.read(text, MAX_DEPTH, number -> new Digits(digits(number)));
    }

    private static String digits(String number) {
        if (number.length() > MAX_DIGITS) {
            return number;
        }
        try {
            BigDecimal value = new BigDecimal(number);
            // jsonb refuses larger numbers, and printing them in full could exhaust memory.
            boolean printable = value.precision() - (long) value.scale() <= 131_072 && value.scale() <= 16_383;
            return printable ? value.toPlainString() : number;
        } catch (NumberFormatException e) {
            return number;
        }
    }

    /** The text of a value that {@link #read} gave, or that is made of maps, lists, strings, booleans and null. */
    public static String write(@Nullable Object value) {
        return write(value, 16);
    }

    /**
     * The same for a value whose parts may be {@link Supplier}s: each is asked when its part is written, so that not all parts are held at
     * once.
     *
     * @param length about as long as the text will be, so that it is not copied while it grows
     */
    public static String write(@Nullable Object value, int length) {
        StringBuilder out = new StringBuilder(length);
        write(value, out);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out) {
        if (value instanceof Map<?, ?> object) {
            writeObject(object, out);
        } else if (value instanceof List<?> array) {
            out.append('[');
            for (int i = 0; i < array.size(); i++) {
                out.append(i == 0 ? "" : ", ");
                write(array.get(i), out);
            }
            out.append(']');
        } else if (value instanceof String string) {
            quote(string, out);
        } else if (value instanceof Supplier<?> part) {
            write(part.get(), out);
        } else {
            out.append(value instanceof Digits digits ? digits.text() : String.valueOf(value));
        }
    }

    private static void writeObject(Map<?, ?> object, StringBuilder out) {
        Map<byte[], @Nullable Object> sorted = new TreeMap<>(ORDER);
        object.forEach((name, member) -> sorted.put(utf8(String.valueOf(name)), member));
        String separator = "";
        out.append('{');
        for (Map.Entry<byte[], @Nullable Object> member : sorted.entrySet()) {
            out.append(separator);
            quote(new String(member.getKey(), StandardCharsets.UTF_8), out);
            out.append(": ");
            write(member.getValue(), out);
            separator = ", ";
        }
        out.append('}');
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            int plain = "\"\\\b\f\n\r\t".indexOf(c);
            if (plain >= 0) {
                out.append('\\').append("\"\\bfnrt".charAt(plain));
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
