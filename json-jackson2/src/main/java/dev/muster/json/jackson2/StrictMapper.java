package dev.muster.json.jackson2;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.type.ArrayType;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.util.LinkedHashSet;
import java.util.Set;

/** The mapper of a codec that was given none. Defaults that Jackson 2 and 3 differ in are all set. */
final class StrictMapper {
    private static final int MAX_DEPTH = 200;
    // Far above Muster's own limit on arguments, so that its message is the one people see.
    private static final int MAX_STRING = 64 << 20;

    static final JsonFactory FACTORY = factory();

    private StrictMapper() {}

    // A factory belongs to the first mapper it is given to, so each gets its own.
    private static JsonFactory factory() {
        return new JsonFactoryBuilder()
                // A table all JVM code shares, filled by whatever names the data has.
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .maxStringLength(MAX_STRING)
                        .build())
                .streamWriteConstraints(StreamWriteConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .build())
                .addDecorator((factory, generator) -> new FiniteGenerator(generator))
                .build();
    }

    static JsonMapper create() {
        return JsonMapper.builder(factory())
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .annotationIntrospector(new StrictAnnotations())
                .addModule(new Jdk8Module())
                .addModule(new JavaTimeModule().disable(JavaTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID))
                .addModule(new SimpleModule("muster")
                        .setDeserializerModifier(new Strictness())
                        .addAbstractTypeMapping(Set.class, LinkedHashSet.class))
                .enable(
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                        DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(
                        MapperFeature.ALLOW_COERCION_OF_SCALARS,
                        MapperFeature.ALLOW_FINAL_FIELDS_AS_MUTATORS,
                        MapperFeature.USE_GETTERS_AS_SETTERS,
                        MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                .withCoercionConfigDefaults(
                        config -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
                .withCoercionConfig(
                        LogicalType.Textual,
                        config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
                .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(DeserializationFeature.READ_ENUMS_USING_TO_STRING)
                .disable(SerializationFeature.WRITE_ENUMS_USING_TO_STRING)
                .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(
                        SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
                        SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
                .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .build();
    }

    /** Jackson itself takes "NaN" for a double and a number for a date, even if told not to coerce. */
    private static final class Strictness extends BeanDeserializerModifier {
        private static final long serialVersionUID = 1L;

        private static final Set<Class<?>> FLOATS = Set.of(double.class, Double.class, float.class, Float.class);
        private static final Set<Class<?>> TIMES = Set.of(
                Instant.class,
                LocalDate.class,
                LocalTime.class,
                LocalDateTime.class,
                OffsetDateTime.class,
                OffsetTime.class,
                ZonedDateTime.class,
                Duration.class);

        @Override
        public JsonDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription bean, JsonDeserializer<?> deserializer) {
            if (FLOATS.contains(bean.getBeanClass())) {
                return new FiniteDeserializer(deserializer);
            }
            return TIMES.contains(bean.getBeanClass()) ? new TextualDeserializer(deserializer) : deserializer;
        }

        @Override
        public JsonDeserializer<?> modifyArrayDeserializer(
                DeserializationConfig config, ArrayType type, BeanDescription bean, JsonDeserializer<?> deserializer) {
            return FLOATS.contains(type.getContentType().getRawClass())
                            && type.getContentType().isPrimitive()
                    ? new FiniteDeserializer(deserializer)
                    : deserializer;
        }
    }
}
