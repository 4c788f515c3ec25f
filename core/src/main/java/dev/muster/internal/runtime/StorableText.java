package dev.muster.internal.runtime;

/**
 * Texts that the database can store: it has no way to store the character 0. For half a surrogate pair a question mark would be stored, so that
 * different texts became the same.
 */
public final class StorableText {
    private StorableText() {}

    /** This text with a replacement character for each character 0. */
    public static String of(String text) {
        return text.replace('\0', '\uFFFD');
    }

    /** Whether the database stores this text as it is. */
    public static boolean isStorable(String text) {
        return text.codePoints().noneMatch(c -> c == 0 || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }
}
