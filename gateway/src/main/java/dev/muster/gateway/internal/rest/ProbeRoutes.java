package dev.muster.gateway.internal.rest;

import dev.muster.gateway.internal.route.Handler;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.health.Probes;
import java.util.List;

/** The probes of load balancers and orchestrators. The server answers them itself. */
public final class ProbeRoutes {
    private static final Handler BY_THE_SERVER = call -> {
        throw new IllegalStateException("the server answers probes itself");
    };

    private static final Schema READINESS = Schema.object("Readiness")
            .with("ready", Schema.flag())
            .with("database", Schema.flag())
            .may("reactor", Schema.flag())
            .may("node_status", Schema.text())
            .may("workflows", Schema.flag())
            .may("gateway", Schema.flag())
            .may("stuck", Schema.text());

    public static final List<Route> ALL = List.of(
            Route.get(Probes.HEALTH, "Tells that the process answers; always 200.")
                    .probe()
                    .answers(Schema.object("Health")
                            .with("status", Schema.oneOf(List.of("ok")))
                            .with("version", Schema.text())
                            .may("application_version", Schema.text()))
                    .to(BY_THE_SERVER),
            Route.get(Probes.READY, "Tells whether this node should get traffic: 200 or 503.")
                    .probe()
                    .answers(READINESS)
                    .orAnswers(503, READINESS, "it should not")
                    .to(BY_THE_SERVER));

    private ProbeRoutes() {}
}
