package dev.muster.json.jackson2;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.muster.json.internal.Path;
import dev.muster.json.internal.Wording;
import dev.muster.runtime.JsonCodec.JsonException;
import org.jspecify.annotations.Nullable;

/** Says in one line what Jackson found wrong, and where. */
final class Problems {
    private Problems() {}

    static JsonException of(Throwable problem) {
        return new JsonException(Wording.oneLine(describe(problem)), problem);
    }

    static JsonException trailing(JsonLocation location) {
        return new JsonException("there is more text after the end of the value" + position(location), null);
    }

    private static String describe(Throwable problem) {
        if (!(problem instanceof JacksonException outer)) {
            return Wording.ofThrown(problem);
        }
        Path path = path(outer);
        JacksonException e = unwrapped(outer);
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

    /** The parser's and generator's own exceptions come wrapped, for the sake of the path. */
    private static JacksonException unwrapped(JacksonException outer) {
        return outer.getClass() == JsonMappingException.class && outer.getCause() instanceof JacksonException inner
                ? inner
                : outer;
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
            case START_OBJECT, FIELD_NAME, END_OBJECT -> "an object";
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
        if (e instanceof JsonMappingException mapping) {
            for (JsonMappingException.Reference step : mapping.getPath()) {
                path.add(step.getFieldName(), step.getIndex());
            }
        }
        return path;
    }

    private static String position(@Nullable JsonLocation location) {
        return location == null || location.getLineNr() < 1
                ? ""
                : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
