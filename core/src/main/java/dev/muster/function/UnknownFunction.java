package dev.muster.function;

import dev.muster.config.Nearest;
import java.util.Collection;

/** There is no function of this name. */
public final class UnknownFunction extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "unknown_function";

    UnknownFunction(String name, Collection<String> known) {
        super(CODE, "there is no function '" + name + "'" + Nearest.suggestion(name, known), null);
    }
}
