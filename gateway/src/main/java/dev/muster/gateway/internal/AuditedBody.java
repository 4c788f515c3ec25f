package dev.muster.gateway.internal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the audit keeps of a body: the members that the route names, if they are texts, numbers, flags or lists of these. A request that will be
 * refused may have anything in any place, so nothing else is kept, neither names nor values.
 */
final class AuditedBody {
    private AuditedBody() {}

    /** @param members such as {@code reason}, or {@code options.queue} for a member of a member */
    static Map<String, @Nullable Object> of(Map<?, ?> body, List<String> members) {
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        for (String member : members) {
            find(body, member).ifPresent(value -> kept.put(member, value));
        }
        return kept;
    }

    private static Optional<Object> find(Map<?, ?> body, String path) {
        Object found = body;
        for (String name : path.split("\\.")) {
            found = found instanceof Map<?, ?> object ? object.get(name) : null;
        }
        return Optional.ofNullable(found).filter(AuditedBody::isKept);
    }

    private static boolean isKept(Object value) {
        return value instanceof List<?> list
                ? list.stream().noneMatch(one -> one instanceof Map || one instanceof List)
                : !(value instanceof Map);
    }
}
