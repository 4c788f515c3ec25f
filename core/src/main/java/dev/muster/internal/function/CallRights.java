package dev.muster.internal.function;

import dev.muster.access.Caller;
import dev.muster.cluster.PublishedFunction;
import dev.muster.function.FunctionInfo;
import dev.muster.function.FunctionKind;
import java.util.Collection;
import java.util.Set;

/** Which functions a caller may call, as far as the caller decides it. */
public final class CallRights {
    private CallRights() {}

    public static boolean mayCall(Caller caller, PublishedFunction function) {
        return mayCall(caller, function.name(), FunctionKind.stored(function.kind()), function.roles());
    }

    /** Whether a caller gets to know that there is this function: those of a tenant only if they may call it. */
    public static boolean mayKnow(Caller caller, PublishedFunction function) {
        return caller.tenant().isEmpty() || mayCall(caller, function);
    }

    static boolean mayKnow(Caller caller, FunctionInfo function) {
        return caller.tenant().isEmpty() || mayCall(caller, function);
    }

    static boolean mayCall(Caller caller, FunctionInfo function) {
        return mayCall(caller, function.name(), function.kind(), function.roles());
    }

    private static boolean mayCall(Caller caller, String name, FunctionKind kind, Collection<String> roles) {
        return caller.may(kind.scope()) && caller.hasAny(Set.copyOf(roles)) && caller.mayStart(name);
    }
}
