package dev.muster.gateway.internal.rest;

import dev.muster.access.Scope;
import dev.muster.document.internal.DaemonDocument;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import java.util.List;

/** Daemons: list, reset. */
public final class DaemonRoutes {
    public static final List<Route> ALL = List.of(
            Route.get("/_api/daemons", "List all daemons.")
                    .answers(Schemas.wholeListOf("daemons", Schemas.DAEMON))
                    .to(call -> Answer.list("daemons", call.muster().daemons().list(), DaemonDocument::write)),
            Route.post("/_api/daemons/{name}/reset", "Let a failed daemon start again.")
                    .scope(Scope.ADMIN)
                    .audited("daemons.reset")
                    .answersNothing()
                    .to(call -> {
                        String name = call.path("name");
                        if (call.muster().daemons().list().stream()
                                .noneMatch(daemon -> daemon.name().equals(name))) {
                            throw Parameters.none("daemon", name);
                        }
                        if (!call.muster().daemons().reset(name)) {
                            throw Refusal.unchanged("daemon " + name + " has not failed");
                        }
                        return Answer.nothing();
                    }));

    private DaemonRoutes() {}
}
