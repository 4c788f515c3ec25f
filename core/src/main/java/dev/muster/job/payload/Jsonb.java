package dev.muster.job.payload;

import dev.muster.runtime.JsonCodec.JsonException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*+)(\\.\\d++)?([eE][+-]?\\d++)?");

    /** The order of an object's members in jsonb: shorter names first. */
    private static final Comparator<byte[]> ORDER =
            Comparator.<byte[]>comparingInt(name -> name.length).thenComparing(Arrays::compareUnsigned);

    /** A number by its digits. */
    public record Digits(String text) {}

    private final String text;
    private int at;

    private Jsonb(String text) {
        this.text = text;
    }

    /** The text that {@code text::jsonb::text} returns. */
    static String normal(String text) {
        return write(read(text));
    }

    /**
     * Maps, lists, strings, booleans, null, and numbers as {@link Digits}.
     *
     * @throws JsonException if the text is not JSON
     */
    public static @Nullable Object read(String text) {
        Jsonb reader = new Jsonb(text);
        Object value;
        try {
            value = reader.value(0);
        } catch (StackOverflowError e) {
            // How many levels fit depends on the thread and on how the code was compiled.
            throw new JsonException("there are more levels than this thread has room for", e);
        }
        if (reader.peek() != 0) {
            throw reader.malformed();
        }
        return value;
    }

    private @Nullable Object value(int depth) {
        if (depth > MAX_DEPTH) {
            throw new JsonException("there are more than " + MAX_DEPTH + " levels", null);
        }
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    /** The next character that is not blank; 0 at the end. */
    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean take(char wanted) {
        boolean found = peek() == wanted;
        if (found) {
            at++;
        }
        return found;
    }

    private void require(char wanted) {
        if (!take(wanted)) {
            throw malformed();
        }
    }

    private JsonException malformed() {
        return new JsonException("it is not JSON from character " + (at + 1) + " on", null);
    }

    private Map<String, @Nullable Object> object(int depth) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        require('{');
        if (take('}')) {
            return members;
        }
        do {
            peek();
            String name = string();
            require(':');
            members.put(name, value(depth + 1));
        } while (take(','));
        require('}');
        return members;
    }

    private List<@Nullable Object> array(int depth) {
        List<@Nullable Object> items = new ArrayList<>();
        require('[');
        if (take(']')) {
            return items;
        }
        do {
            items.add(value(depth + 1));
        } while (take(','));
        require(']');
        return items;
    }

    private String string() {
        require('"');
        StringBuilder out = new StringBuilder();
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            out.append(c == '\\' ? escaped() : c);
        }
        require('"');
        return out.toString();
    }

    private char escaped() {
        char c = at < text.length() ? text.charAt(at++) : 0;
        int plain = "\"\\/bfnrt".indexOf(c);
        if (plain >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        if (c != 'u' || at + 4 > text.length()) {
            throw malformed();
        }
        try {
            char unicode = (char) Integer.parseInt(text.substring(at, at + 4), 16);
            at += 4;
            return unicode;
        } catch (NumberFormatException e) {
            throw malformed();
        }
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        if (!text.startsWith(word, at)) {
            throw malformed();
        }
        at += word.length();
        return value;
    }

    private Digits number() {
        Matcher matcher = NUMBER.matcher(text).region(at, text.length());
        if (!matcher.lookingAt()) {
            throw malformed();
        }
        at = matcher.end();
        return new Digits(digits(matcher.group()));
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
        StringBuilder out = new StringBuilder();
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
