package dev.muster.function;

import dev.muster.access.Caller;
import java.util.TreeSet;

/** The caller lacks the scope or the role that the function needs, or may not start it by its name. */
public final class CallRefused extends FunctionException {
    private static final long serialVersionUID = 1L;
    public static final String CODE = "forbidden";

    private CallRefused(String message) {
        super(CODE, message, null);
    }

    static CallRefused name(String function, Caller caller) {
        return new CallRefused(
                "'" + function + "' is not among what '" + caller.name() + "' may start: " + caller.names());
    }

    static CallRefused scope(FunctionInfo function, Caller caller) {
        return new CallRefused("the " + function.kind().text() + " '" + function.name() + "' needs the scope "
                + function.kind().scope().text() + "; '" + caller.name() + "' has the scope "
                + caller.scope().text());
    }

    static CallRefused role(FunctionInfo function, Caller caller) {
        return new CallRefused("the " + function.kind().text() + " '" + function.name() + "' needs "
                + (function.roles().size() == 1 ? "the role " : "one of the roles ")
                + String.join(", ", new TreeSet<>(function.roles())) + ", and '" + caller.name() + "' has "
                + (caller.roles().isEmpty() ? "no role" : "only " + String.join(", ", new TreeSet<>(caller.roles()))));
    }
}
