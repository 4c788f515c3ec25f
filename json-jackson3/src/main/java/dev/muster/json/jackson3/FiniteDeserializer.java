package dev.muster.json.jackson3;

import dev.muster.json.internal.NonFinite;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/** Refuses NaN and infinity, be it from a text like "NaN" or from a number like 1e999. */
final class FiniteDeserializer extends DelegatingDeserializer {

    FiniteDeserializer(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new FiniteDeserializer(delegate);
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        Object value = super.deserialize(parser, context);
        Double bad = NonFinite.in(value);
        if (bad != null) {
            throw context.weirdNumberException(bad, handledType(), "not finite");
        }
        return value;
    }
}
