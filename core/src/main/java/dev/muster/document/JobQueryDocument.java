package dev.muster.document;

import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Queries of jobs as the parameters of an address, such as {@code status=failed&limit=10}. A parameter with several values is given several
 * times; statuses and ids may also be given once, with commas between them.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JobQueryDocument {
    private static final String METADATA = "metadata.";

    private JobQueryDocument() {}

    public static Map<String, List<String>> write(JobQuery query) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        Parameters.put(parameters, "id", query.ids(), JobId::toString);
        Parameters.put(parameters, "status", query.statuses(), JobStatus::text);
        Parameters.put(parameters, "name", query.name());
        Parameters.put(parameters, "queue", query.queue());
        Parameters.put(parameters, "tag", query.tags(), tag -> tag);
        query.metadata().forEach((key, value) -> parameters.put(METADATA + key, List.of(value)));
        Parameters.put(parameters, "key", query.key());
        Parameters.put(parameters, "batch", query.batch());
        Parameters.put(parameters, "before", query.before());
        parameters.put("limit", List.of(String.valueOf(query.limit())));
        return parameters;
    }

    /** @throws InvalidDocument if a parameter is wrong or unknown */
    public static JobQuery read(Map<String, List<String>> parameters) {
        Parameters given = new Parameters(parameters);
        given.refuseOthers(
                METADATA,
                List.of("id", "status", "name", "queue", "tag", "metadata.KEY", "key", "batch", "before", "limit"));
        JobQuery all = JobQuery.all();
        return Parameters.placed(
                "limit",
                given.number("limit").orElse(all.limit()),
                limit -> new JobQuery(
                        Set.copyOf(given.several("id", JobId::of)),
                        Set.copyOf(given.several("status", JobStatus::parse)),
                        given.one("name"),
                        given.one("queue"),
                        Set.copyOf(given.all("tag")),
                        given.beginningWith(METADATA),
                        given.one("key"),
                        given.one("batch", BatchId::of),
                        given.one("before", JobId::of),
                        limit));
    }
}
