package dev.muster.json.jackson3;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;

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

    /** Since 3.2 an absent primitive becomes 0, whatever FAIL_ON_NULL_FOR_PRIMITIVES says. */
    @Override
    public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
        Boolean marked = super.hasRequiredMarker(config, member);
        boolean primitive =
                member instanceof AnnotatedParameter && member.getRawType().isPrimitive();
        return primitive ? Boolean.TRUE : marked;
    }
}
