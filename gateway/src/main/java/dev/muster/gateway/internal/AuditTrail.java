package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Route;
import java.util.function.Supplier;

/** Writes what operators do into the audit: an entry before the action, and its outcome after it. */
interface AuditTrail {

    /** Runs the handler; if the route is audited, within an entry. */
    Answer record(Route route, Call call, Supplier<Answer> handler);
}
