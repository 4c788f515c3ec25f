package dev.muster.json.jackson2;

import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Jackson reads a {@code Set} into a HashSet. The order of that one follows from the hash codes, which for enums, and all that contains
 * one, are other ones in each JVM: a workflow that calls a step for each member would do so in another order on another node.
 */
final class OrderedSets {
    private OrderedSets() {}

    /** The mapper if it has a class of its own for sets; otherwise a copy, which keeps their order. */
    static ObjectMapper in(ObjectMapper mapper) {
        return hasItsOwn(mapper)
                ? mapper
                : copy(mapper)
                        .registerModule(
                                new SimpleModule("muster-sets").addAbstractTypeMapping(Set.class, LinkedHashSet.class));
    }

    private static boolean hasItsOwn(ObjectMapper mapper) {
        try {
            return !mapper.getDeserializationContext()
                    .getFactory()
                    .mapAbstractType(mapper.getDeserializationConfig(), mapper.constructType(Set.class))
                    .hasRawClass(Set.class);
        } catch (JsonMappingException e) {
            throw Problems.of(e);
        }
    }

    private static ObjectMapper copy(ObjectMapper mapper) {
        try {
            return mapper.copy();
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException(
                    "Muster reads sets with a copy of your " + mapper.getClass().getSimpleName()
                            + ", which cannot be copied: let it override copy(), or use a JsonMapper",
                    e);
        }
    }
}
