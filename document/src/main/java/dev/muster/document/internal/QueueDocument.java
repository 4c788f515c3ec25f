package dev.muster.document.internal;

import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a queue with its limit and its counts as JSON, and reads it back.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class QueueDocument {
    private QueueDocument() {}

    public static Map<String, @Nullable Object> write(QueueInfo queue) {
        JsonObjectWriter members = new JsonObjectWriter()
                .put("name", queue.name())
                .put("paused", queue.pausedAt().isPresent())
                .put("paused_at", queue.pausedAt())
                .put("waiting", queue.waiting())
                .put("pending", queue.pending())
                .put("claimed", queue.claimed())
                .put("running", queue.running())
                .put("oldest_due", queue.oldestDue());
        return QueueLimitDocument.put(members, queue.limit())
                .put("at_least", atLeast(queue.atLeast()))
                .done();
    }

    /** Which of the counts are lower bounds. */
    public static List<@Nullable Object> atLeast(Collection<JobStatus> statuses) {
        return JsonObjectWriter.list(statuses.stream().sorted().toList(), JobStatus::text);
    }

    public static QueueInfo read(JsonObjectReader fields) {
        return new QueueInfo(
                fields.text("name"),
                fields.optionalInstant("paused_at"),
                fields.longNumber("waiting"),
                fields.longNumber("pending"),
                fields.longNumber("claimed"),
                fields.longNumber("running"),
                fields.optionalInstant("oldest_due"),
                QueueLimitDocument.readFrom(fields),
                Set.copyOf(fields.parsedTexts("at_least", JobStatus::stored)));
    }
}
