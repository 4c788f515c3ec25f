package dev.muster.gateway.internal.dashboard;

import dev.muster.gateway.internal.route.Handler;
import dev.muster.gateway.internal.route.Route;
import java.util.List;

/** The page of the dashboard and its files. The server answers them with {@link DashboardFiles}. */
public final class DashboardRoutes {
    private static final Handler BY_THE_SERVER = call -> {
        throw new IllegalStateException("the server answers with files itself");
    };

    private static final String NOT_CHANGED = "If-None-Match has its ETag";

    public static final List<Route> ALL = List.of(
            Route.get("/", "The dashboard, a page for browsers.")
                    .file()
                    .orAnswers(304, NOT_CHANGED)
                    .to(BY_THE_SERVER),
            Route.get("/assets/{path}", "A file of the dashboard; the path may have slashes.")
                    .file()
                    .orAnswers(304, NOT_CHANGED)
                    .to(BY_THE_SERVER));

    private DashboardRoutes() {}
}
