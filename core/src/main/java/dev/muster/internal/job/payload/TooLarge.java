package dev.muster.internal.job.payload;

import dev.muster.internal.runtime.StorableJson;

/**
 * What stands for a stored value that is not read, because its text would be too large for whoever reads it. No value can become that large any
 * more, see {@link StorableJson}; an older version of Muster, or somebody with psql, may have stored one. The function {@code muster_text} in
 * the database decides it, and returns this text.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class TooLarge {
    /** As it is stored, no value of a user looks like this: see {@link Payloads}. */
    public static final String TEXT =
            "{\"$muster\": \"too large: as text it has more than 4 MB, or a number of more than 1000 digits\"}";

    /** Why it is not read, behind a colon. */
    public static final String WHY =
            "more than 4 MB as text, or a number of more than " + StorableJson.MAX_DIGITS + " digits";

    private TooLarge() {}

    /** Whether this stands for a stored value that is not read. */
    public static boolean is(String stored) {
        return stored.equals(TEXT);
    }
}
