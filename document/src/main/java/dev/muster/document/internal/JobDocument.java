package dev.muster.document.internal;

import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Jobs.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JobDocument {
    private JobDocument() {}

    /** A job with all of its details. */
    public static Map<String, @Nullable Object> write(JobInfo job) {
        return inList(new JsonObjectWriter(), job)
                .put("metadata", job.metadata().isEmpty() ? null : job.metadata())
                .put("lifted_to", job.liftedTo().map(JobDocument::text))
                .put("waiting_reason", job.waitingReason())
                .put("earlier_error", job.earlierError())
                .put("expires_at", job.expiresAt())
                .millis("timeout_ms", job.timeout())
                .put("trace", job.trace())
                .put("dependencies", dependencies(job.dependencies()))
                .done();
    }

    /** A job as one of many: without its metadata and other details. */
    public static Map<String, @Nullable Object> inList(JobInfo job) {
        return inList(new JsonObjectWriter(), job).done();
    }

    public static List<@Nullable Object> inList(List<JobInfo> jobs) {
        return JsonObjectWriter.list(jobs, JobDocument::inList);
    }

    private static JsonObjectWriter inList(JsonObjectWriter members, JobInfo job) {
        return members.put("id", job.id().toString())
                .put("name", job.name())
                .put("status", job.status().text())
                .put("queue", job.queue())
                .put("capability", job.capability())
                .put("priority", text(job.priority()))
                .put("attempt", job.attempt())
                .put("max_attempts", job.maxAttempts())
                .put("crashes", job.crashes())
                .put("node", job.node())
                .raw("args", Optional.of(job.args()))
                .raw("result", job.result())
                .put("error", job.error())
                .put("key", job.key())
                .text("batch", job.batch())
                .put("tags", job.tags())
                .put("progress", job.progress().map(JobDocument::progress))
                .put("run_at", job.runAt())
                .put("created_at", job.createdAt())
                .put("started_at", job.startedAt())
                .put("finished_at", job.finishedAt());
    }

    private static Map<String, @Nullable Object> progress(Progress progress) {
        return new JsonObjectWriter()
                .put("percent", progress.percent())
                .put("message", progress.message())
                .done();
    }

    private static Map<String, @Nullable Object> dependency(Dependency dependency) {
        return new JsonObjectWriter()
                .put("id", dependency.id().toString())
                .put("status", dependency.status().map(JobStatus::text))
                .put("any_outcome", dependency.anyOutcome())
                .done();
    }

    /** The jobs that a job depends on. */
    public static List<@Nullable Object> dependencies(List<Dependency> dependencies) {
        return JsonObjectWriter.list(dependencies, JobDocument::dependency);
    }

    /** Reads either form; what the form in lists lacks is empty. */
    public static JobInfo read(JsonObjectReader fields) {
        return new JobInfo(
                fields.parsed("id", JobId::of),
                fields.text("name"),
                fields.parsed("status", JobStatus::stored),
                fields.text("queue"),
                fields.optionalText("capability"),
                fields.parsed("priority", Priority::parse),
                fields.optionalParsed("lifted_to", Priority::parse),
                fields.integer("attempt"),
                fields.integer("max_attempts"),
                fields.integer("crashes"),
                fields.optionalText("node"),
                fields.rawEvenIfNull("args").orElseThrow(() -> fields.refusal("args", "is missing")),
                fields.optionalRaw("result"),
                fields.optionalText("error"),
                fields.optionalText("earlier_error"),
                fields.optionalText("key"),
                fields.texts("tags"),
                fields.optionalObject("progress").map(JobDocument::readProgress),
                Collections.unmodifiableMap(fields.textsByName("metadata")),
                fields.instant("run_at"),
                fields.instant("created_at"),
                fields.optionalInstant("started_at"),
                fields.optionalInstant("finished_at"),
                fields.optionalText("waiting_reason"),
                fields.optionalInstant("expires_at"),
                fields.optionalMillis("timeout_ms"),
                fields.list("dependencies").stream()
                        .map(JobDocument::readDependency)
                        .toList(),
                fields.optionalParsed("batch", BatchId::of),
                fields.optionalText("trace"));
    }

    private static Progress readProgress(JsonObjectReader fields) {
        return new Progress(fields.integer("percent"), fields.optionalText("message"));
    }

    private static Dependency readDependency(JsonObjectReader fields) {
        return new Dependency(
                fields.parsed("id", JobId::of),
                fields.optionalParsed("status", JobStatus::stored),
                fields.flag("any_outcome"));
    }

    static String text(Priority priority) {
        return priority.name().toLowerCase(Locale.ROOT);
    }
}
