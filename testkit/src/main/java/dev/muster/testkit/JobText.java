package dev.muster.testkit;

import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.Collection;
import java.util.stream.Collectors;

/** Formats jobs for the messages of failed assertions. */
final class JobText {
    private JobText() {}

    /** One line, and the error below it. */
    static String of(JobInfo job) {
        StringBuilder text = new StringBuilder(job.name())
                .append(' ')
                .append(job.id())
                .append(": ")
                .append(job.status().text());
        text.append(", attempt ").append(job.attempt()).append(" of ").append(job.maxAttempts());
        if (job.crashes() > 0) {
            text.append(", crashes ").append(job.crashes());
        }
        text.append(", args ").append(job.args());
        job.key().ifPresent(key -> text.append(", key '").append(key).append('\''));
        job.capability().ifPresent(c -> text.append(", capability '").append(c).append('\''));
        if (!job.queue().equals("default")) {
            text.append(", queue '").append(job.queue()).append('\'');
        }
        Duration delay = delay(job);
        if (job.status() == JobStatus.PENDING && delay.toMillis() > 0) {
            text.append(", due ").append(delay).append(" after it was enqueued");
        }
        job.result().ifPresent(result -> text.append(", result ").append(result));
        job.waitingReason().ifPresent(reason -> text.append("\n    waits: ").append(reason));
        job.error().ifPresent(error -> text.append("\n    error: ").append(shortened(error)));
        return text.toString();
    }

    static Duration delay(JobInfo job) {
        return Duration.between(job.createdAt(), job.runAt());
    }

    private static String shortened(String error) {
        return error.lines().limit(4).map(String::strip).collect(Collectors.joining("\n      "));
    }

    /** Each job on its own line. */
    static String of(Collection<JobInfo> jobs) {
        return jobs.isEmpty()
                ? "  (no job)"
                : jobs.stream().map(job -> "  " + of(job)).collect(Collectors.joining("\n"));
    }
}
