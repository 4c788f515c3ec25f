package dev.muster.document.internal;

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
 * times; statuses and ids may also be given once, with commas between them. Metadata is asked for as {@code metadata.customer=42}, or as {@code
 * metadata=customer=42}, because clients that are generated know the names of all parameters beforehand.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JobQueryDocument {
    private static final String METADATA = "metadata.";
    private static final String PAIRS = "metadata";

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
                List.of(
                        "id",
                        "status",
                        "name",
                        "queue",
                        "tag",
                        "metadata.KEY",
                        PAIRS,
                        "key",
                        "batch",
                        "before",
                        "limit"));
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
                        metadata(given),
                        given.one("key"),
                        given.one("batch", BatchId::of),
                        given.one("before", JobId::of),
                        limit));
    }

    private static Map<String, String> metadata(Parameters given) {
        Map<String, String> metadata = given.beginningWith(METADATA);
        for (String pair : given.all(PAIRS)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new InvalidDocument(
                        PAIRS, "is written metadata=KEY=VALUE, not \"" + JsonObjectReader.shortened(pair) + "\"");
            }
            if (metadata.put(pair.substring(0, equals), pair.substring(equals + 1)) != null) {
                throw new InvalidDocument(
                        PAIRS, "asks twice for " + JsonObjectReader.shortened(pair.substring(0, equals)));
            }
        }
        return metadata;
    }
}
