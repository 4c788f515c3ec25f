package dev.muster.document.internal;

import dev.muster.job.JobStatus;
import dev.muster.job.RetryableJobs;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs could be retried.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class RetryableJobsDocument {
    private RetryableJobsDocument() {}

    public static Map<String, @Nullable Object> write(RetryableJobs jobs) {
        return new JsonObjectWriter()
                .put("name", jobs.name())
                .put("status", jobs.status().text())
                .put("jobs", jobs.jobs())
                .done();
    }

    public static RetryableJobs read(JsonObjectReader fields) {
        return new RetryableJobs(
                fields.text("name"), fields.parsed("status", JobStatus::stored), fields.longNumber("jobs"));
    }
}
