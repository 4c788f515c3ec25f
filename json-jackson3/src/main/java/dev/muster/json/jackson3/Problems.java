package dev.muster.json.jackson3;

import dev.muster.json.internal.Path;
import dev.muster.json.internal.Wording;
import dev.muster.runtime.JsonCodec.JsonException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Says in one line what Jackson found wrong, and where. */
final class Problems {
    private Problems() {}

    static JsonException of(Throwable problem) {
        return new JsonException(Wording.oneLine(describe(problem)), problem);
    }

    static JsonException trailing(TokenStreamLocation location) {
        return new JsonException("there is more text after the end of the value" + position(location), null);
    }

    private static String describe(Throwable problem) {
        if (!(problem instanceof JacksonException e)) {
            return Wording.ofThrown(problem);
        }
        Path path = path(e);
        if (e instanceof StreamConstraintsException) {
            return Wording.limit(e.getOriginalMessage()) + path.inBrackets();
        }
        if (e instanceof InputCoercionException) {
            return path.prefix() + Wording.clean(e.getOriginalMessage());
        }
        if (e instanceof StreamReadException) {
            return Wording.syntax(e.getOriginalMessage()) + position(e.getLocation());
        }
        if (e instanceof UnrecognizedPropertyException unknown) {
            return Wording.unknownProperty(path, unknown.getKnownPropertyIds());
        }
        if (e instanceof InvalidTypeIdException type) {
            return Wording.typeId(path, type.getTypeId(), e.getOriginalMessage());
        }
        if (e instanceof InvalidFormatException format) {
            return Wording.value(path, format.getTargetType(), format.getValue(), e.getOriginalMessage());
        }
        if (e instanceof InvalidDefinitionException definition) {
            Class<?> type =
                    definition.getType() == null ? null : definition.getType().getRawClass();
            return Wording.definition(path, type, e.getOriginalMessage());
        }
        if (e instanceof MismatchedInputException mismatch) {
            return mismatch(path, mismatch);
        }
        Throwable cause = e.getCause();
        return path.prefix() + (cause == null ? Wording.clean(e.getOriginalMessage()) : Wording.ofThrown(cause));
    }

    private static String mismatch(Path path, MismatchedInputException e) {
        if (e.getOriginalMessage().startsWith("Trailing token")) {
            return "there is more text after the end of the value" + position(e.getLocation());
        }
        JsonToken token = e.getCurrentToken();
        if (token == JsonToken.END_OBJECT && !path.isRoot()) {
            return path.subject() + " is missing";
        }
        if (token == null || e.getTargetType() == null) {
            return path.prefix() + Wording.clean(e.getOriginalMessage());
        }
        if (token == JsonToken.START_OBJECT && e.getOriginalMessage().contains("no Creators")) {
            return path.prefix() + Wording.unmakeable(e.getTargetType());
        }
        return Wording.mismatch(path, e.getTargetType(), found(token));
    }

    private static String found(JsonToken token) {
        return switch (token) {
            case START_OBJECT, PROPERTY_NAME, END_OBJECT -> "an object";
            case START_ARRAY, END_ARRAY -> "a list";
            case VALUE_STRING -> "text";
            case VALUE_NUMBER_INT -> "a number";
            case VALUE_NUMBER_FLOAT -> "a number with a fraction or exponent";
            case VALUE_TRUE, VALUE_FALSE -> "true or false";
            case VALUE_NULL -> "null";
            default -> "something else";
        };
    }

    private static Path path(JacksonException e) {
        Path path = new Path();
        for (JacksonException.Reference step : e.getPath()) {
            path.add(step.getPropertyName(), step.getIndex());
        }
        return path;
    }

    private static String position(@Nullable TokenStreamLocation location) {
        return location == null || location.getLineNr() < 1
                ? ""
                : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
