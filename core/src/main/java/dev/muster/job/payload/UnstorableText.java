package dev.muster.job.payload;

import dev.muster.runtime.JsonCodec.JsonException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Finds characters that are legal in JSON but that the database cannot store: jsonb refuses U+0000, and for half a surrogate pair a question mark
 * would be stored. Encrypted values are refused for them, too, so that a value does not depend on the settings.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class UnstorableText {
    private static final String HALF = "half a surrogate pair";

    private UnstorableText() {}

    /** Names the first such character, escaped or not. */
    public static Optional<String> in(String json) {
        // The first half of a pair that the next character has to complete, in the same way: 'u' if escaped, 'c' if
        // not; 0 if there is none.
        char begun = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            char form = 'c';
            if (c == '\\') {
                c = escaped(json, i + 1);
                form = 'u';
                i += isUnicode(json, i + 1) ? 5 : 1;
            }
            if (c == 0) {
                return Optional.of("the character U+0000");
            }
            if (begun != (Character.isLowSurrogate(c) ? form : 0)) {
                return Optional.of(HALF);
            }
            begun = Character.isHighSurrogate(c) ? form : 0;
        }
        return begun == 0 ? Optional.empty() : Optional.of(HALF);
    }

    /** @throws JsonException with a sentence about the value if there is such a character in it */
    public static void refuse(String value, String json) {
        in(json).ifPresent(what -> {
            throw new JsonException(value + " contains " + what + ", which PostgreSQL cannot store", null);
        });
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

    /** The character that an escape stands for; any other one than the two kinds if it has no number. */
    private static char escaped(String json, int at) {
        return isUnicode(json, at) ? (char) HexFormat.fromHexDigits(json, at + 1, at + 5) : 'x';
    }
}
