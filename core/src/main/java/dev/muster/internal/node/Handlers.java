package dev.muster.internal.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Handlers by their kind. Immutable. */
public final class Handlers {
    /** No handlers. */
    public static final Handlers NONE = new Handlers(Map.of());

    private final Map<HandlerKind<?>, List<Object>> byKind;

    private Handlers(Map<HandlerKind<?>, List<Object>> byKind) {
        this.byKind = byKind;
    }

    public boolean isEmpty() {
        return byKind.isEmpty();
    }

    /** The handlers of this kind, in the order in which they were registered. */
    @SuppressWarnings("unchecked")
    public <H> List<H> of(HandlerKind<H> kind) {
        return (List<H>) byKind.getOrDefault(kind, List.of());
    }

    /** These handlers and some more. */
    public <H> Handlers with(HandlerKind<H> kind, List<? extends H> more) {
        return and(more.isEmpty() ? NONE : new Handlers(Map.of(kind, List.copyOf(more))));
    }

    /** These handlers and the others. */
    public Handlers and(Handlers others) {
        Map<HandlerKind<?>, List<Object>> all = new HashMap<>(byKind);
        others.byKind.forEach((kind, more) -> all.merge(kind, more, (some, rest) -> {
            List<Object> both = new ArrayList<>(some);
            both.addAll(rest);
            return List.copyOf(both);
        }));
        return new Handlers(all);
    }
}
