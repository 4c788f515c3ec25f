package dev.muster.runtime;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Turns values into JSON text and back. Implementations bind plain JSON to declared types: no class names in data, no default
 * typing. Muster finds the codec with {@link java.util.ServiceLoader}, unless one is given to the builder.
 */
public interface JsonCodec {

    /**
     * Writes a value as JSON; {@code null} becomes {@code null}.
     *
     * @throws JsonException if the value cannot be written
     */
    String write(@Nullable Object value);

    /**
     * Reads JSON into a declared type. Properties that the type does not have are ignored, so that an older node can run a
     * newer caller's job.
     *
     * @throws JsonException if the text is malformed or does not fit the type
     */
    @Nullable
    Object read(String json, Type type);

    /**
     * Checks that JSON fits a declared type exactly. Unlike in {@link #read}, a property that the type does not have is an
     * error. Used where the caller who made the mistake can still be told.
     *
     * @throws JsonException if the text is malformed or does not fit
     */
    void check(String json, Type type);

    /**
     * Reads JSON into a declared type that it has to fit exactly, as {@link #check} says.
     *
     * @throws JsonException if the text is malformed or does not fit
     */
    default @Nullable Object readExactly(String json, Type type) {
        check(json, type);
        return read(json, type);
    }

    /** JSON that is malformed or does not fit its type, or a value that cannot be written as JSON. */
    final class JsonException extends MusterException {
        private static final long serialVersionUID = 1L;

        public JsonException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
