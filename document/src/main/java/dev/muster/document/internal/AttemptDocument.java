package dev.muster.document.internal;

import dev.muster.job.JobAttempt;
import dev.muster.job.JobAttempt.Outcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a job that have ended.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class AttemptDocument {
    private AttemptDocument() {}

    public static Map<String, @Nullable Object> write(JobAttempt attempt) {
        return new JsonObjectWriter()
                .put("attempt", attempt.attempt())
                .put("node", attempt.node())
                .put("started_at", attempt.startedAt())
                .put("ended_at", attempt.endedAt())
                .put("outcome", attempt.outcome().text())
                .put("error", attempt.error())
                .done();
    }

    public static List<@Nullable Object> write(List<JobAttempt> attempts) {
        return JsonObjectWriter.list(attempts, AttemptDocument::write);
    }

    public static JobAttempt read(JsonObjectReader fields) {
        return new JobAttempt(
                fields.integer("attempt"),
                fields.optionalText("node"),
                fields.optionalInstant("started_at"),
                fields.instant("ended_at"),
                fields.parsed("outcome", Outcome::parse),
                fields.optionalText("error"));
    }
}
