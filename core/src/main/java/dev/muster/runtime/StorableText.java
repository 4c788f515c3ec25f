package dev.muster.runtime;

/** Texts that the database can store: it has no way to store the character 0. */
public final class StorableText {
    private StorableText() {}

    /** This text with a replacement character for each character 0. */
    public static String of(String text) {
        return text.replace('\0', '\uFFFD');
    }
}
