package dev.muster.document.internal;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.Graphs.GraphQuery;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Queries of graphs as the parameters of an address, such as {@code status=failed&limit=10}. A parameter with several values is given several
 * times; statuses and ids may also be given once, with commas between them.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class GraphQueryDocument {
    private GraphQueryDocument() {}

    public static Map<String, List<String>> write(GraphQuery query) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        Parameters.put(parameters, "name", query.name());
        Parameters.put(parameters, "status", query.statuses(), GraphStatus::text);
        Parameters.put(parameters, "before", query.before());
        parameters.put("limit", List.of(String.valueOf(query.limit())));
        return parameters;
    }

    /** @throws InvalidDocument if a parameter is wrong or unknown */
    public static GraphQuery read(Map<String, List<String>> parameters) {
        Parameters given = new Parameters(parameters);
        given.refuseOthers("", List.of("name", "status", "before", "limit"));
        GraphQuery query = GraphQuery.all()
                .statuses(given.choices("status", GraphStatus.known().toArray(GraphStatus[]::new), GraphStatus::text))
                .limit(given.limit(GraphQuery.all().limit()));
        query = given.one("name").map(query::name).orElse(query);
        return given.one("before", GraphId::of).map(query::before).orElse(query);
    }
}
