package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.TenantView.Whose;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the members of the answers to a tenant were: its own if one answer has something of the tenant there, hidden if none has anything,
 * shared otherwise.
 */
final class SeenMembers {
    private final Predicate<String> own;
    private final Map<String, Whose> members = new TreeMap<>();

    /** @param own whether a text has something that stands for the tenant and for nobody else */
    SeenMembers(Predicate<String> own) {
        this.own = own;
    }

    void add(Route route, @Nullable Object body) {
        add(TenantView.where(route), route.response().orElseThrow(), body);
    }

    private void add(String where, Schema schema, @Nullable Object value) {
        String owner = schema.name().orElse(where);
        if (value instanceof Map<?, ?> object) {
            schema.properties().forEach((member, of) -> {
                Object held = object.get(member);
                members.merge(
                        owner + "." + member, whose(held), (one, other) -> one.compareTo(other) < 0 ? one : other);
                add(owner + "." + member, of, held);
            });
        }
        if (value instanceof List<?> list) {
            list.forEach(item -> schema.items().ifPresent(of -> add(where, of, item)));
        }
    }

    private Whose whose(@Nullable Object held) {
        if (held == null) {
            return Whose.HIDDEN;
        }
        return own.test(Json.write(held)) ? Whose.OWN : Whose.SHARED;
    }

    void assertAsClassified() {
        Map<String, Whose> classified = new TreeMap<>(TenantView.ANSWERS);
        classified.keySet().removeAll(TenantView.UNSEEN);
        Map<String, Whose> seen = new TreeMap<>(members);
        seen.keySet().removeAll(TenantView.UNSEEN);
        assertThat(seen).isEqualTo(classified);
    }
}
