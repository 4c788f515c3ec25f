package dev.muster.document.internal;

import dev.muster.job.JobId;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflows.RunQuery;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Queries of runs of workflows as the parameters of an address, such as {@code status=failed&limit=10}. A parameter with several values is given several
 * times; statuses and ids may also be given once, with commas between them.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class RunQueryDocument {
    private RunQueryDocument() {}

    public static Map<String, List<String>> write(RunQuery query) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        Parameters.put(parameters, "workflow_name", query.workflow());
        Parameters.put(parameters, "workflow_version", query.version());
        Parameters.put(parameters, "status", query.statuses(), RunStatus::text);
        Parameters.put(parameters, "before", query.before());
        parameters.put("limit", List.of(String.valueOf(query.limit())));
        return parameters;
    }

    /** @throws InvalidDocument if a parameter is wrong or unknown */
    public static RunQuery read(Map<String, List<String>> parameters) {
        Parameters given = new Parameters(parameters);
        given.refuseOthers("", List.of("workflow_name", "workflow_version", "status", "before", "limit"));
        RunQuery query = RunQuery.all()
                .statuses(given.choices("status", RunStatus.known().toArray(RunStatus[]::new), RunStatus::text))
                .limit(given.limit(RunQuery.all().limit()));
        query = given.one("workflow_name").map(query::workflow).orElse(query);
        query = given.one("workflow_version").map(query::version).orElse(query);
        return given.one("before", JobId::of).map(query::before).orElse(query);
    }
}
