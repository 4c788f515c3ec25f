package dev.muster.json.jackson3;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;

/**
 * Takes dates and durations from text only: a number could mean seconds or milliseconds. A property
 * with a {@code @JsonFormat} shape of its own is left to Jackson.
 */
final class TextualDeserializer extends DelegatingDeserializer {

    TextualDeserializer(ValueDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> delegate) {
        return new TextualDeserializer(delegate);
    }

    @Override
    public ValueDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property) {
        ValueDeserializer<?> contextual = super.createContextual(context, property);
        JsonFormat.Shape shape =
                findFormatOverrides(context, property, handledType()).getShape();
        boolean chosen = shape.isNumeric() || shape == JsonFormat.Shape.ARRAY;
        return chosen ? ((DelegatingDeserializer) contextual).getDelegatee() : contextual;
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
        if (!parser.hasToken(JsonToken.VALUE_STRING)) {
            context.reportInputMismatch(handledType(), "not text");
        }
        return super.deserialize(parser, context);
    }
}
