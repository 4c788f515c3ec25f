package dev.muster.runtime;

import dev.muster.internal.runtime.Names;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for names whose segments are separated by {@code ::}, such as {@code ml::train}.
 *
 * <ul>
 *   <li>Text matches itself. A pattern without a wildcard matches one name.
 *   <li>{@code *} matches any characters within one segment, also none: {@code ml::*} matches {@code ml::train}, but neither
 *       {@code ml} nor {@code ml::eu::train}.
 *   <li>{@code **} matches any characters, separators included, also none: {@code **::heavy_*} matches {@code ml::heavy_train} and
 *       {@code etl::data::heavy_load}. The separators that the pattern writes must be there: {@code **::heavy_*} does not match
 *       {@code heavy_train}, and {@code a::**::b} does not match {@code a::b}.
 *   <li>Each character of the name is matched once: {@code ab*ba} does not match {@code aba}.
 *   <li>An empty segment of a name is matched only by an empty segment of the pattern: {@code ml::*}, {@code ml::**} and {@code ml**} do
 *       not match {@code ml::}, and {@code **} does not match {@code a::::b}, but {@code a::::*} does.
 *   <li>Wildcards may stand anywhere, several in one segment too. Three stars in a row are refused.
 *   <li>Names and patterns are split at {@code ::} from the left, so that {@code a:::b} has the segments {@code a} and {@code :b}. A single
 *       colon is an ordinary character.
 *   <li>A pattern has only {@code *} and characters that a name can have. Anything else could never match and is refused.
 * </ul>
 *
 * A pattern is read once. Matching takes time in proportion to the length of the pattern times the length of the name at most,
 * whatever wildcards there are. Patterns are equal if their texts are.
 */
public final class NamePattern {
    private static final int MAX_LENGTH = 255;

    // Tokens that are no character.
    private static final int SEPARATOR = -1;
    private static final int WITHIN_SEGMENT = -2;
    private static final int ACROSS_SEGMENTS = -3;

    private final String text;
    private final boolean exact;
    private final int[] tokens;

    private NamePattern(String text) {
        this.text = text;
        this.exact = text.indexOf('*') < 0;
        this.tokens = tokens(text, true);
    }

    /**
     * Reads a pattern.
     *
     * @throws InvalidName if it is empty, longer than 255 characters, has three stars in a row, or a character that no name has
     */
    public static NamePattern of(String text) {
        if (text.isEmpty()) {
            throw new InvalidName("an empty pattern matches nothing; write ** to match every name");
        }
        if (text.length() > MAX_LENGTH) {
            throw new InvalidName(
                    "a pattern has " + MAX_LENGTH + " characters at most, and this one has " + text.length());
        }
        if (text.contains("***")) {
            throw new InvalidName(
                    "pattern '" + text + "' has three stars in a row; write * to match within a segment, or ** to match"
                            + " across segments");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '*' && !Names.isNameCharacter(c)) {
                throw new InvalidName("pattern '" + text + "' has the character '" + c
                        + "', which no name has; allowed are *, a-z, 0-9, '_', '.', ':' and '-'");
            }
        }
        return new NamePattern(text);
    }

    /** Whether the pattern matches the whole name. */
    public boolean matches(String name) {
        if (exact) {
            return text.equals(name);
        }
        int[] rest = tokens(name, false);
        // reached[i]: the tokens of the pattern so far can match the first i tokens of the name
        boolean[] reached = new boolean[rest.length + 1];
        reached[0] = true;
        for (int token : tokens) {
            if (token == WITHIN_SEGMENT || token == ACROSS_SEGMENTS) {
                passWildcard(token, rest, reached);
            } else {
                passLiteral(token, rest, reached);
            }
        }
        return reached[rest.length];
    }

    private static void passLiteral(int token, int[] name, boolean[] reached) {
        for (int i = name.length; i > 0; i--) {
            reached[i] = reached[i - 1] && name[i - 1] == token;
        }
        reached[0] = false;
    }

    private static void passWildcard(int wildcard, int[] name, boolean[] reached) {
        for (int i = 0; i <= name.length; i++) {
            boolean goesOn = i > 0 && reached[i - 1] && (wildcard == ACROSS_SEGMENTS || name[i - 1] != SEPARATOR);
            reached[i] = (reached[i] || goesOn) && !isEmptySegment(name, i);
        }
    }

    /** Whether there is an empty segment before the token at this index. No wildcard may stand for it or pass over it. */
    private static boolean isEmptySegment(int[] name, int index) {
        return (index == 0 || name[index - 1] == SEPARATOR) && (index == name.length || name[index] == SEPARATOR);
    }

    private static int[] tokens(String text, boolean wildcards) {
        int[] tokens = new int[text.length()];
        int count = 0;
        int at = 0;
        while (at < text.length()) {
            if (text.startsWith("::", at)) {
                tokens[count++] = SEPARATOR;
                at += 2;
            } else if (wildcards && text.startsWith("**", at)) {
                tokens[count++] = ACROSS_SEGMENTS;
                at += 2;
            } else if (wildcards && text.charAt(at) == '*') {
                tokens[count++] = WITHIN_SEGMENT;
                at++;
            } else {
                tokens[count++] = text.charAt(at++);
            }
        }
        return Arrays.copyOf(tokens, count);
    }

    /** The pattern as it was written. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NamePattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
