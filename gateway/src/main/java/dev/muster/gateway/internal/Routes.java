package dev.muster.gateway.internal;

import dev.muster.gateway.internal.dashboard.DashboardRoutes;
import dev.muster.gateway.internal.metrics.MetricsPage;
import dev.muster.gateway.internal.openapi.OpenApi;
import dev.muster.gateway.internal.rest.AccessRoutes;
import dev.muster.gateway.internal.rest.BatchRoutes;
import dev.muster.gateway.internal.rest.ClusterRoutes;
import dev.muster.gateway.internal.rest.CronRoutes;
import dev.muster.gateway.internal.rest.DaemonRoutes;
import dev.muster.gateway.internal.rest.EventRoutes;
import dev.muster.gateway.internal.rest.GraphRoutes;
import dev.muster.gateway.internal.rest.JobRoutes;
import dev.muster.gateway.internal.rest.LimitUsageRoutes;
import dev.muster.gateway.internal.rest.ProbeRoutes;
import dev.muster.gateway.internal.rest.QueueRoutes;
import dev.muster.gateway.internal.rest.WorkflowRoutes;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.gateway.internal.rpc.FunctionRoutes;
import dev.muster.gateway.internal.rpc.JsonRpcRoutes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The one list of all routes. */
public final class Routes {
    private static final List<Route> ALL = build();

    private Routes() {}

    public static List<Route> all() {
        return ALL;
    }

    private static List<Route> build() {
        List<Route> all = new ArrayList<>(ProbeRoutes.ALL);
        all.addAll(FunctionRoutes.ALL);
        all.addAll(JsonRpcRoutes.all(thrown -> Failures.of(thrown, "JSON-RPC"), DatabaseAuditTrail::record));
        all.addAll(JobRoutes.ALL);
        all.addAll(QueueRoutes.ALL);
        all.addAll(CronRoutes.ALL);
        all.addAll(DaemonRoutes.ALL);
        all.addAll(WorkflowRoutes.ALL);
        all.addAll(GraphRoutes.ALL);
        all.addAll(BatchRoutes.ALL);
        all.addAll(ClusterRoutes.ALL);
        all.addAll(LimitUsageRoutes.ALL);
        all.addAll(AccessRoutes.ALL);
        all.addAll(EventRoutes.ALL);
        all.addAll(MetricsPage.ROUTES);
        all.addAll(DashboardRoutes.ALL);
        all.add(Route.get("/_api/openapi.json", "This API as an OpenAPI 3.0 document.")
                .tenantsConfined()
                .answers(Schema.object())
                .to(call -> Answer.of(openApi(call.basePath()))));
        return List.copyOf(all);
    }

    /**
     * The OpenAPI document of all routes.
     *
     * @param basePath what stands before their paths: nothing, or such as {@code /muster}
     */
    public static Map<String, @Nullable Object> openApi(String basePath) {
        String packaged = Routes.class.getPackage().getImplementationVersion();
        return OpenApi.of(ALL, packaged == null ? "0" : packaged, basePath);
    }
}
