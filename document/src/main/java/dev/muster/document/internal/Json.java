package dev.muster.document.internal;

import dev.muster.internal.runtime.JsonReader;
import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec.JsonException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON as maps, lists, texts, numbers, booleans and null. Numbers keep all of their digits.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class Json {
    /** How many levels of objects and arrays a document may have, with the args and results in it. */
    public static final int MAX_DEPTH = 1_000;

    private Json() {}

    /**
     * Reads a text that is one JSON value: a {@code LinkedHashMap}, a {@code List}, a {@code String}, a {@code Boolean}, null, or {@link
     * Digits} for a number.
     *
     * @throws InvalidDocument if the text is not JSON, or an object in it has two members with the same name
     */
    public static @Nullable Object read(String text) {
        return read(text, MAX_DEPTH);
    }

    /**
     * Reads a text that is one JSON value.
     *
     * @param maxDepth how many levels of objects and arrays are allowed below the value
     * @throws InvalidDocument if the text is not JSON, has more levels, or an object in it has two members with the same name
     */
    public static @Nullable Object read(String text, int maxDepth) {
        try {
            return JsonReader.read(text, maxDepth);
        } catch (JsonException e) {
            throw new InvalidDocument("", "the document is not JSON: " + e.getMessage(), e);
        }
    }

    /** The value without blanks, members in their order. {@link RawJson} is embedded as it is. */
    public static String write(@Nullable Object value) {
        return JsonWriter.text(value, null);
    }

    /** The same in UTF-8. */
    public static Utf8Pieces utf8(@Nullable Object value) {
        return JsonWriter.utf8(value);
    }

    /** The value in many lines, as {@code -o json} prints it. */
    public static String pretty(@Nullable Object value) {
        return JsonWriter.text(value, "");
    }

    /** An instant as ISO-8601 in UTC, to the microsecond, as the database keeps it. */
    public static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS).toString();
    }
}
