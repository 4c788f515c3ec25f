package dev.muster.internal.runtime;

import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.runtime.JsonCodec.JsonException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON into maps, lists, strings, booleans, null, and numbers by their digits. Of members with the same name the last one counts, as
 * in jsonb; in a document that somebody has written they are refused, because whoever has looked at it before may have taken the first.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JsonReader {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*+)(\\.\\d++)?([eE][+-]?\\d++)?");

    /** How much of a member's name an error message shows. */
    private static final int MAX_SHOWN = 50;

    private final String text;
    private final int maxDepth;
    private final boolean unique;
    private final Function<String, Digits> numbers;
    private int at;

    private JsonReader(String text, int maxDepth, boolean unique, Function<String, Digits> numbers) {
        this.text = text;
        this.maxDepth = maxDepth;
        this.unique = unique;
        this.numbers = numbers;
    }

    /** The members of an object, in their order. It also knows the text of each. */
    public static final class JsonObject extends LinkedHashMap<String, @Nullable Object> {
        private static final long serialVersionUID = 1L;

        private final transient String source;
        private final transient Map<String, int[]> spans = new HashMap<>();

        private JsonObject(String source) {
            this.source = source;
        }

        /** The text of this member's value as it was written; null if there is no such member. */
        public @Nullable String textOf(String name) {
            int[] span = spans.get(name);
            return span == null ? null : source.substring(span[0], span[1]);
        }
    }

    /**
     * Reads a document that is one JSON value. The digits of its numbers are those of the text.
     *
     * @param maxDepth how many levels of objects and arrays are allowed below the value
     * @throws JsonException if the text is not JSON, or an object has two members with the same name
     */
    public static @Nullable Object read(String text, int maxDepth) {
        return read(text, maxDepth, true, Digits::new);
    }

    /** @param unique whether members with the same name are refused */
    static @Nullable Object read(String text, int maxDepth, boolean unique, Function<String, Digits> numbers) {
        JsonReader reader = new JsonReader(text, maxDepth, unique, numbers);
        Object value;
        try {
            value = reader.value(0);
        } catch (StackOverflowError e) {
            // How many levels fit depends on the thread and on how the code was compiled.
            throw new JsonException("there are more levels than this thread has room for", e);
        }
        if (reader.peek() != 0 || reader.at < text.length()) {
            throw reader.malformed();
        }
        return value;
    }

    private @Nullable Object value(int depth) {
        if (depth > maxDepth) {
            throw new JsonException("there are more than " + maxDepth + " levels", null);
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
        JsonObject members = new JsonObject(text);
        require('{');
        if (take('}')) {
            return members;
        }
        do {
            peek();
            String name = string();
            if (unique && members.containsKey(name)) {
                throw new JsonException("it has the member " + shown(name) + " twice", null);
            }
            require(':');
            peek();
            int from = at;
            members.put(name, value(depth + 1));
            members.spans.put(name, new int[] {from, at});
        } while (take(','));
        require('}');
        return members;
    }

    private static String shown(String name) {
        return Jsonb.write(name.length() <= MAX_SHOWN ? name : name.substring(0, MAX_SHOWN) + "…");
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
            char c = text.charAt(at);
            if (c < ' ') {
                throw malformed();
            }
            at++;
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
            char unicode = (char) HexFormat.fromHexDigits(text, at, at + 4);
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
        return numbers.apply(matcher.group());
    }
}
