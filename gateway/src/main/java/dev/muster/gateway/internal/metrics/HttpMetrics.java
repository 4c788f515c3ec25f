package dev.muster.gateway.internal.metrics;

import dev.muster.gateway.internal.route.Route;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Counts the answers of a gateway. Thread-safe. */
public final class HttpMetrics {
    /** By identity, because a route's hash is that of its whole description. Never changes. */
    private final Map<Route, RouteCounts> routes = new IdentityHashMap<>();

    private final Counts<StatusClass> notRouted = statuses();
    private final Counts<Reason> refused = new Counts<>(Reason.values());

    private static final class RouteCounts {
        final Counts<StatusClass> statuses = statuses();
        final Histogram duration = new Histogram();
    }

    private enum StatusClass {
        SUCCESS("2xx"),
        REFUSED("4xx"),
        FAILED("5xx");

        private final String text;

        StatusClass(String text) {
            this.text = text;
        }

        static StatusClass of(int status) {
            return status < 400 ? SUCCESS : status < 500 ? REFUSED : FAILED;
        }
    }

    private enum Reason {
        UNAUTHORIZED,
        FORBIDDEN,
        TOO_MANY_REQUESTS,
        UNAVAILABLE
    }

    public HttpMetrics(List<Route> routes) {
        routes.forEach(route -> this.routes.put(route, new RouteCounts()));
    }

    private static Counts<StatusClass> statuses() {
        return new Counts<>(StatusClass.values(), one -> one.text);
    }

    /** A request to this route, which is one of the list, was answered. */
    public void answered(Route route, int status, long nanos) {
        RouteCounts counts = routes.get(route);
        if (counts != null) {
            counts.statuses.count(StatusClass.of(status));
            counts.duration.record(nanos);
        }
        if (route.scope().isPresent()) {
            countRefusal(status);
        }
    }

    /** A request was answered for which there is no route. */
    public void notRouted(int status) {
        notRouted.count(StatusClass.of(status));
    }

    private void countRefusal(int status) {
        switch (status) {
            case 401 -> refused.count(Reason.UNAUTHORIZED);
            case 403 -> refused.count(Reason.FORBIDDEN);
            case 429 -> refused.count(Reason.TOO_MANY_REQUESTS);
            case 503 -> refused.count(Reason.UNAVAILABLE);
            default -> {}
        }
    }

    /** Routes that nobody has used are left out: there are many. */
    void write(Samples samples) {
        routes.forEach((route, counts) -> {
            if (!counts.duration.isEmpty()) {
                String method = route.method().name();
                counts.statuses.forEach(
                        (status, count) -> samples.add(Metric.HTTP_REQUESTS, count, method, route.path(), status));
                samples.add(Metric.HTTP_DURATION, counts.duration, method, route.path());
            }
        });
        notRouted.forEach((status, count) -> samples.add(Metric.HTTP_REQUESTS, count, "none", "none", status));
        refused.forEach((reason, count) -> samples.add(Metric.HTTP_REFUSED, count, reason));
    }
}
