package dev.muster.function;

import dev.muster.access.Scope;
import java.util.Locale;

/** What a function may do, and what its callers need for it. */
public enum FunctionKind {
    /** Only reads. */
    QUERY(Scope.READ),
    /** Writes, in one transaction. */
    MUTATION(Scope.WRITE);

    private final Scope scope;

    FunctionKind(Scope scope) {
        this.scope = scope;
    }

    /** The scope that callers need. */
    public Scope scope() {
        return scope;
    }

    /** The name in messages and JSON. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
