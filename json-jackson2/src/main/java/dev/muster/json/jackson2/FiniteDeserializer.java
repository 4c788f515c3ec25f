package dev.muster.json.jackson2;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import dev.muster.json.internal.NonFinite;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Refuses NaN and infinity, be it from a text like "NaN" or from a number like 1e999. */
final class FiniteDeserializer extends DelegatingDeserializer {
    private static final long serialVersionUID = 1L;

    FiniteDeserializer(JsonDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
        return new FiniteDeserializer(delegate);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        Object value = super.deserialize(parser, context);
        Double bad = NonFinite.in(value);
        if (bad != null) {
            throw context.weirdNumberException(bad, handledType(), "not finite");
        }
        return value;
    }
}
