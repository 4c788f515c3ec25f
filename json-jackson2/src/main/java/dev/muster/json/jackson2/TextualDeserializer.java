package dev.muster.json.jackson2;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Takes dates and durations from text only: a number could mean seconds or milliseconds. A property
 * with a {@code @JsonFormat} shape of its own is left to Jackson.
 */
final class TextualDeserializer extends DelegatingDeserializer {
    private static final long serialVersionUID = 1L;

    TextualDeserializer(JsonDeserializer<?> delegate) {
        super(delegate);
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
        return new TextualDeserializer(delegate);
    }

    @Override
    public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
            throws JsonMappingException {
        JsonDeserializer<?> contextual = super.createContextual(context, property);
        JsonFormat.Shape shape =
                findFormatOverrides(context, property, handledType()).getShape();
        boolean chosen = shape.isNumeric() || shape == JsonFormat.Shape.ARRAY;
        return chosen ? ((DelegatingDeserializer) contextual).getDelegatee() : contextual;
    }

    @Override
    public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        if (!parser.hasToken(JsonToken.VALUE_STRING)) {
            context.reportInputMismatch(handledType(), "not text");
        }
        return super.deserialize(parser, context);
    }
}
