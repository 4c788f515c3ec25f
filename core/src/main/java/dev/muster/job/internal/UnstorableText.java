package dev.muster.job.internal;

import java.util.Optional;

/** Finds characters that are legal in JSON but that PostgreSQL's jsonb cannot store: U+0000 and half a surrogate pair. */
public final class UnstorableText {
    private UnstorableText() {}

    /** Names the first such character, escaped or not. */
    public static Optional<String> in(String json) {
        boolean high = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '\\' && i + 1 < json.length()) {
                if (json.charAt(i + 1) == 'u' && i + 5 < json.length()) {
                    c = (char) Integer.parseInt(json.substring(i + 2, i + 6), 16);
                    i += 5;
                } else {
                    c = 'x';
                    i++;
                }
            }
            if (c == 0) {
                return Optional.of("the character U+0000");
            }
            if (high != Character.isLowSurrogate(c)) {
                return Optional.of("half a surrogate pair");
            }
            high = Character.isHighSurrogate(c);
        }
        return high ? Optional.of("half a surrogate pair") : Optional.empty();
    }
}
