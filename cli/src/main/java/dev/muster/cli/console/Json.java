package dev.muster.cli.console;

import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Builds the documents that {@code -o json} prints. Numbers keep all of their digits. */
public final class Json {
    private static final JsonCodec CODEC = new Jackson3Codec();
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private Json() {}

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    public static String pretty(JsonNode node) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node);
    }

    /** JSON text from the database as part of a document. */
    public static JsonNode embed(Optional<String> text) {
        return text.<JsonNode>map(MAPPER::readTree).orElse(JsonNodeFactory.instance.nullNode());
    }

    /** An instant as ISO-8601 in UTC, to the microsecond, as the database keeps it. */
    public static @Nullable String time(Optional<Instant> time) {
        return time.map(t -> t.truncatedTo(ChronoUnit.MICROS).toString()).orElse(null);
    }

    /**
     * Returns the text if it is one JSON value.
     *
     * @param what what the error message calls the text: "--args"
     */
    public static String require(String what, String text) {
        try {
            CODEC.check(text, Object.class);
            return text;
        } catch (JsonException e) {
            throw CommandFailed.badInput(what + " is not valid JSON: " + e.getMessage(), e);
        }
    }
}
