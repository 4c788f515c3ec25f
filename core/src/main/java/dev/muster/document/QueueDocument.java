package dev.muster.document;

import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Queues.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class QueueDocument {
    private QueueDocument() {}

    public static Map<String, @Nullable Object> write(QueueInfo queue) {
        Members members = new Members()
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
        return Members.list(statuses.stream().sorted().toList(), JobStatus::text);
    }

    public static QueueInfo read(Fields fields) {
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
