package dev.muster.internal.runtime;

import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads results of jobs and runs.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class ResultJson {
    private ResultJson() {}

    /**
     * @param of whose result it is, such as {@code job 'add' (…)}
     * @throws JsonException if the result does not fit the type; it names both
     */
    public static @Nullable Object read(JsonCodec json, String text, Type type, String of) {
        try {
            return json.read(text, type);
        } catch (JsonException e) {
            throw new JsonException(
                    "the result of " + of + " cannot be read as " + type.getTypeName() + ": " + e.getMessage(), e);
        }
    }
}
