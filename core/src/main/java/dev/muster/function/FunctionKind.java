package dev.muster.function;

import dev.muster.access.Scope;
import dev.muster.internal.runtime.Known;
import java.util.List;
import java.util.Locale;

/** What a function may do, and what its callers need for it. */
public enum FunctionKind {
    /** Only reads. */
    QUERY(Scope.READ),
    /** Writes, in one transaction. */
    MUTATION(Scope.WRITE),
    /** A newer Muster has stored another one, which this version does not know. */
    UNKNOWN(Scope.ADMIN);

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

    /** As a table or an answer has it; {@link #UNKNOWN} if this version does not know the text. */
    public static FunctionKind stored(String text) {
        return Known.read(values(), FunctionKind::text, text, UNKNOWN);
    }

    /** All but {@link #UNKNOWN}: what people can choose or ask for. */
    public static List<FunctionKind> known() {
        return Known.allBut(UNKNOWN, values());
    }
}
