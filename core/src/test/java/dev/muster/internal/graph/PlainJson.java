package dev.muster.internal.graph;

import dev.muster.internal.runtime.Jsonb;
import dev.muster.runtime.JsonCodec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** JSON of maps, lists and texts, without a library. */
final class PlainJson implements JsonCodec {
    @Override
    public String write(@Nullable Object value) {
        return Jsonb.write(value);
    }

    @Override
    public @Nullable Object read(String json, Type type) {
        return Jsonb.read(json);
    }

    @Override
    public void check(String json, Type type) {
        Jsonb.read(json);
    }
}
