package dev.muster.document.internal;

import dev.muster.batch.BatchQuery;
import dev.muster.batch.BatchStatus;
import dev.muster.job.BatchId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Queries of batches as the parameters of an address, such as {@code status=failed&limit=10}. A parameter with several values is given several
 * times; statuses and ids may also be given once, with commas between them.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class BatchQueryDocument {
    private static final int MOST = 1_000;

    private BatchQueryDocument() {}

    public static Map<String, List<String>> write(BatchQuery query) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        Parameters.put(parameters, "status", query.statuses(), BatchStatus::text);
        Parameters.put(parameters, "name", query.name());
        Parameters.put(parameters, "before", query.before());
        parameters.put("limit", List.of(String.valueOf(query.limit())));
        return parameters;
    }

    /** @throws InvalidDocument if a parameter is wrong or unknown */
    public static BatchQuery read(Map<String, List<String>> parameters) {
        Parameters given = new Parameters(parameters);
        given.refuseOthers("", List.of("name", "status", "before", "limit"));
        int limit = given.number("limit").orElse(BatchQuery.all().limit());
        if (limit < 1 || limit > MOST) {
            throw new InvalidDocument("limit", "must be 1 to " + MOST + ", not " + limit);
        }
        BatchQuery query = BatchQuery.all()
                .limit(limit)
                .statuses(given.choices("status", BatchStatus.known().toArray(BatchStatus[]::new), BatchStatus::text));
        query = given.one("name").map(query::name).orElse(query);
        return given.one("before", BatchId::of).map(query::before).orElse(query);
    }
}
