package dev.muster.json.jackson2;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import org.jspecify.annotations.Nullable;

/** Jackson's annotations, with class names refused and primitives required. */
final class StrictAnnotations extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    /** Class names are refused on the way out as well: nobody could read them back. */
    @Override
    public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
        JsonTypeInfo.Value info = super.findPolymorphicTypeInfo(config, annotated);
        if (info != null
                && (info.getIdType() == JsonTypeInfo.Id.CLASS || info.getIdType() == JsonTypeInfo.Id.MINIMAL_CLASS)) {
            throw new IllegalArgumentException(
                    "@JsonTypeInfo of " + annotated.getRawType().getSimpleName()
                            + " puts class names into JSON, which is not allowed; use JsonTypeInfo.Id.NAME");
        }
        return info;
    }

    /** Said here for both Jacksons: since 3.2 FAIL_ON_NULL_FOR_PRIMITIVES lets an absent one become 0. */
    @Override
    public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
        Boolean marked = super.hasRequiredMarker(member);
        boolean primitive =
                member instanceof AnnotatedParameter && member.getRawType().isPrimitive();
        return primitive ? Boolean.TRUE : marked;
    }
}
