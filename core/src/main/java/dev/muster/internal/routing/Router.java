package dev.muster.internal.routing;

import dev.muster.config.ExecutorConfig;
import dev.muster.config.ExecutorsConfig;
import dev.muster.config.RoutingConfig;
import dev.muster.config.RoutingConfig.Rule;
import dev.muster.internal.routing.Route.ListedJob;
import dev.muster.internal.routing.Route.MatchedRule;
import dev.muster.internal.routing.Route.NoRuleMatched;
import dev.muster.runtime.MusterException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Decides which executor of a node runs the jobs of a name. Immutable. */
public final class Router {
    private final RoutingConfig routing;
    private final ExecutorsConfig executors;

    /**
     * Routes by these settings, which are of one {@link dev.muster.config.MusterConfig}: every executor that {@code routing} names is among
     * {@code executors}.
     */
    public Router(RoutingConfig routing, ExecutorsConfig executors) {
        this.routing = routing;
        this.executors = executors;
    }

    /** Routes the jobs of a name. */
    public Route route(String name) {
        Optional<ExecutorConfig> listing = executors.listing(name);
        if (listing.isPresent()) {
            return new Route(name, listing, new ListedJob(listing.get().name()));
        }
        for (int i = 0; i < routing.rules().size(); i++) {
            Rule rule = routing.rules().get(i);
            if (rule.match().matches(name)) {
                return new Route(name, Optional.of(executor(rule.executor())), new MatchedRule(i + 1, rule));
            }
        }
        return new Route(name, routing.defaultExecutor().map(this::executor), new NoRuleMatched());
    }

    private ExecutorConfig executor(String name) {
        ExecutorConfig found = executors.byName().get(name);
        if (found == null) {
            throw new MusterException("there is no executor '" + name + "' in the settings");
        }
        return found;
    }

    /**
     * Divides the names of a node's handlers among its executors.
     *
     * @throws MusterException if an executor whose command runs only listed jobs would get other names; with all of these names
     */
    public Partition partition(Collection<String> names) {
        List<Route> routes = names.stream().distinct().sorted().map(this::route).toList();
        List<Route> misplaced = routes.stream().filter(Route::missesCommand).toList();
        if (!misplaced.isEmpty()) {
            throw new MusterException(misplaced.stream().map(Router::misplaced).collect(Collectors.joining("\n")));
        }
        Map<String, List<String>> byExecutor = new LinkedHashMap<>();
        List<String> unrouted = new ArrayList<>();
        executors.byName().keySet().forEach(executor -> byExecutor.put(executor, new ArrayList<>()));
        for (Route route : routes) {
            route.executor()
                    .map(executor -> byExecutor.get(executor.name()))
                    .orElse(unrouted)
                    .add(route.name());
        }
        byExecutor.values().removeIf(List::isEmpty);
        byExecutor.replaceAll((executor, own) -> List.copyOf(own));
        return new Partition(byExecutor, unrouted);
    }

    private static String misplaced(Route route) {
        String executor = route.executor().orElseThrow().name();
        return "the handler '" + route.name() + "' is routed to the executor '" + executor + "' by "
                + route.reason().words() + ", but that executor runs only the jobs that executors." + executor
                + ".jobs lists; add a rule before it that sends the handler to another executor";
    }

    /**
     * The names of a node's handlers by executor.
     *
     * @param byExecutor the sorted names of each executor that has any, in the order of the executors
     * @param unrouted the sorted names that this node does not run
     */
    public record Partition(Map<String, List<String>> byExecutor, List<String> unrouted) {
        public Partition {
            byExecutor = Collections.unmodifiableMap(new LinkedHashMap<>(byExecutor));
            unrouted = List.copyOf(unrouted);
        }
    }
}
