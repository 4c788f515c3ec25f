package dev.muster.json.jackson2;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.muster.runtime.JsonCodec;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * JSON over Jackson 2: snake_case names, ISO-8601 dates and durations, no coercion between types.
 *
 * <p>A root value is written by its class, which knows no type arguments: elements of a {@code
 * List<Shape>} get their {@code @JsonTypeInfo} name only if the list is a property of something.
 */
public final class Jackson2Codec implements JsonCodec {
    private final ObjectMapper mapper;
    private final ObjectReader lenient;
    private final ObjectReader strict;
    private final ObjectWriter writer;
    private final ConcurrentMap<Type, ObjectReader> readers = new ConcurrentHashMap<>();
    private final ConcurrentMap<Type, ObjectReader> checkers = new ConcurrentHashMap<>();

    /** A codec with Muster's own mapper. */
    public Jackson2Codec() {
        this(StrictMapper.create());
    }

    /**
     * A codec with a mapper of yours, used as it is: names, dates and strictness are up to it. Only
     * unknown properties are not: {@link #read} ignores them and {@link #check} refuses them. And a
     * {@code Set} is read in the order in which it is written, by a copy of the mapper, unless the mapper
     * has a class of its own for it.
     */
    public Jackson2Codec(ObjectMapper mapper) {
        ObjectMapper ordering = OrderedSets.in(mapper);
        this.mapper = ordering;
        this.lenient = ordering.reader().without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.strict = ordering.reader().with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        this.writer = mapper.writer();
    }

    @Override
    public String write(@Nullable Object value) {
        try {
            return writer.writeValueAsString(value);
        } catch (IOException | RuntimeException e) {
            throw Problems.of(e);
        }
    }

    @Override
    public @Nullable Object read(String json, Type type) {
        return read(json, type, lenient, readers);
    }

    @Override
    public void check(String json, Type type) {
        if (type == Object.class) {
            checkSyntax(json);
        } else {
            read(json, type, strict, checkers);
        }
    }

    @Override
    public @Nullable Object readExactly(String json, Type type) {
        return read(json, type, strict, checkers);
    }

    private @Nullable Object read(String json, Type type, ObjectReader base, ConcurrentMap<Type, ObjectReader> cache) {
        requireText(json);
        try {
            ObjectReader reader = cache.get(type);
            if (reader == null) {
                reader = cache.computeIfAbsent(type, t -> base.forType(mapper.constructType(t)));
            }
            return reader.readValue(json);
        } catch (IOException | RuntimeException e) {
            throw Problems.of(e);
        }
    }

    // By the JSON standard, whatever the mapper would let pass: the database would not.
    private static void checkSyntax(String json) {
        requireText(json);
        try (JsonParser parser = StrictMapper.FACTORY.createParser(json)) {
            parser.nextToken();
            parser.skipChildren();
            if (parser.nextToken() != null) {
                throw Problems.trailing(parser.currentTokenLocation());
            }
        } catch (JsonException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw Problems.of(e);
        }
    }

    private static void requireText(String json) {
        if (json.isBlank()) {
            throw new JsonException("the text is empty; the JSON for no value is null", null);
        }
    }
}
