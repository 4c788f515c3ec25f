package dev.muster.json.jackson3;

import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleAbstractTypeResolver;

/**
 * Jackson reads a {@code Set} into a HashSet. The order of that one follows from the hash codes, which for enums, and all that contains
 * one, are other ones in each JVM: a workflow that calls a step for each member would do so in another order on another node.
 */
final class OrderedSets {
    private OrderedSets() {}

    /** The mapper if it has a class of its own for sets; otherwise a copy, which keeps their order. */
    static JsonMapper in(JsonMapper mapper) {
        JavaType set = mapper.constructType(Set.class);
        boolean hasItsOwn = !mapper.deserializationConfig().mapAbstractType(set).hasRawClass(Set.class);
        return hasItsOwn
                ? mapper
                : mapper.rebuild()
                        .addAbstractTypeResolver(
                                new SimpleAbstractTypeResolver().addMapping(Set.class, LinkedHashSet.class))
                        .build();
    }
}
