package dev.muster.internal.runtime;

import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.runtime.JsonCodec.JsonException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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

    /** The order of an object's members in jsonb: shorter names first. */
    private static final Comparator<byte[]> ORDER =
            Comparator.<byte[]>comparingInt(name -> name.length).thenComparing(Arrays::compareUnsigned);

    /** A number by its digits. */
    public record Digits(String text) {}

    /** Its name is written as it is: half a surrogate pair, which UTF-8 does not have, must not become a question mark. */
    private static final class Member {
        final byte[] bytes;
        final String name;
        final @Nullable Object value;

        Member(String name, @Nullable Object value) {
            this.bytes = name.getBytes(StandardCharsets.UTF_8);
            this.name = name;
            this.value = value;
        }
    }

    private Jsonb() {}

    /** The text that {@code text::jsonb::text} returns, except for numbers of more than 1,000 digits, which keep their exponent. */
    public static String normal(String text) {
        return write(read(text));
    }

    /**
     * The text that comes back if this one is stored as jsonb.
     *
     * @throws JsonException if the text is not JSON, is nested too deeply, or has a number of more than 1,000 digits, which may need no more
     *     than ten characters
     */
    public static String asStored(String text) {
        return write(JsonReader.read(text, MAX_DEPTH, false, number -> new Digits(fewDigits(number))));
    }

    private static String fewDigits(String number) {
        String digits = plain(number);
        if (digits.isEmpty()) {
            throw new JsonException("a number has more than " + StorableJson.MAX_DIGITS + " digits", null);
        }
        return digits;
    }

    /** The number without an exponent; empty if it has so many digits that ten characters could exhaust the memory. */
    private static String plain(String number) {
        if (number.length() > StorableJson.MAX_DIGITS) {
            return "";
        }
        try {
            BigDecimal value = new BigDecimal(number);
            boolean few = value.precision() <= StorableJson.MAX_DIGITS
                    && Math.abs((long) value.scale()) < StorableJson.MAX_DIGITS;
            return few ? value.toPlainString() : "";
        } catch (NumberFormatException e) {
            // Its exponent has more than ten digits.
            return "";
        }
    }

    /**
     * Maps, lists, strings, booleans, null, and numbers as {@link Digits}.
     *
     * @throws JsonException if the text is not JSON
     */
    public static @Nullable Object read(String text) {
        return JsonReader.read(text, MAX_DEPTH, false, number -> new Digits(digits(number)));
    }

    /**
     * The same for a document that somebody has written, in which no object may have two members with the same name.
     *
     * @throws JsonException if the text is not JSON, or an object has
     */
    public static @Nullable Object readDocument(String text) {
        return JsonReader.read(text, MAX_DEPTH, true, number -> new Digits(digits(number)));
    }

    private static String digits(String number) {
        String digits = plain(number);
        return digits.isEmpty() ? number : digits;
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
        List<Member> members = new ArrayList<>(object.size());
        object.forEach((name, value) -> members.add(new Member(String.valueOf(name), value)));
        members.sort(Comparator.comparing(member -> member.bytes, ORDER));
        String separator = "";
        out.append('{');
        for (Member member : members) {
            out.append(separator);
            quote(member.name, out);
            out.append(": ");
            write(member.value, out);
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
}
