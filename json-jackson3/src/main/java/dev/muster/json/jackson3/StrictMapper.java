package dev.muster.json.jackson3;

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
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.ArrayType;
import tools.jackson.databind.type.LogicalType;

/** The mapper of a codec that was given none. Defaults that Jackson 2 and 3 differ in are all set. */
final class StrictMapper {
    private static final int MAX_DEPTH = 200;
    // Far above Muster's own limit on arguments, so that its message is the one people see.
    private static final int MAX_STRING = 64 << 20;

    /** Buffers per thread, as in Jackson 2: the pool that threads share was a sixth of what reading a small object costs. */
    static final JsonFactory FACTORY = JsonFactory.builder()
            .recyclerPool(JsonRecyclerPools.threadLocalPool())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_STRING)
                    .build())
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .addDecorator((factory, generator) -> new FiniteGenerator(generator))
            .build();

    private StrictMapper() {}

    static JsonMapper create() {
        return JsonMapper.builder(FACTORY)
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .annotationIntrospector(new StrictAnnotations())
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
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(
                        DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                .build();
    }

    /** Jackson itself takes "NaN" for a double and a number for a date, even if told not to coerce. */
    private static final class Strictness extends ValueDeserializerModifier {
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
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
            if (FLOATS.contains(bean.getBeanClass())) {
                return new FiniteDeserializer(deserializer);
            }
            return TIMES.contains(bean.getBeanClass()) ? new TextualDeserializer(deserializer) : deserializer;
        }

        @Override
        public ValueDeserializer<?> modifyArrayDeserializer(
                DeserializationConfig config,
                ArrayType type,
                BeanDescription.Supplier bean,
                ValueDeserializer<?> deserializer) {
            return FLOATS.contains(type.getContentType().getRawClass())
                            && type.getContentType().isPrimitive()
                    ? new FiniteDeserializer(deserializer)
                    : deserializer;
        }
    }
}
