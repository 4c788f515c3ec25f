package dev.muster.document.internal;

import dev.muster.job.JobCount;
import dev.muster.job.JobStatus;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs there are of each status.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JobCountsDocument {
    private JobCountsDocument() {}

    public static Map<String, @Nullable Object> write(Map<JobStatus, JobCount> counts) {
        return new JsonObjectWriter().put("counts", counts(counts)).done();
    }

    public static Map<JobStatus, JobCount> read(JsonObjectReader fields) {
        return readCounts(fields.object("counts"));
    }

    static Map<String, @Nullable Object> counts(Map<JobStatus, JobCount> counts) {
        JsonObjectWriter members = new JsonObjectWriter();
        counts.forEach((status, count) -> members.put(
                status.text(),
                new JsonObjectWriter()
                        .put("count", count.count())
                        .put("exact", count.exact())
                        .done()));
        return members.done();
    }

    static Map<JobStatus, JobCount> readCounts(JsonObjectReader fields) {
        Map<JobStatus, JobCount> counts = new EnumMap<>(JobStatus.class);
        for (JobStatus status : JobStatus.values()) {
            fields.optionalObject(status.text())
                    .ifPresent(
                            count -> counts.put(status, new JobCount(count.longNumber("count"), count.flag("exact"))));
        }
        return counts;
    }
}
