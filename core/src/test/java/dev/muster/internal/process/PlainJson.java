package dev.muster.internal.process;

import dev.muster.internal.runtime.Jsonb;
import dev.muster.runtime.JsonCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** JSON of maps, lists and texts, without a library. */
public final class PlainJson implements JsonCodec {
    @Override
    public String write(@Nullable Object value) {
        return Jsonb.write(value instanceof Number number ? new Jsonb.Digits(number.toString()) : value);
    }

    @Override
    public @Nullable Object read(String json, Type type) {
        Object value = Jsonb.read(json);
        if (value != null && type instanceof Class<?> wanted && !wanted.isInstance(value)) {
            throw new JsonException(json + " is no " + wanted.getSimpleName(), null);
        }
        return value;
    }

    @Override
    public void check(String json, Type type) {
        read(json, type);
    }
}
