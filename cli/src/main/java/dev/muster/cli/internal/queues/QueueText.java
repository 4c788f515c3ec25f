package dev.muster.cli.internal.queues;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Counts;
import dev.muster.cli.internal.console.Table;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Queues as text. */
final class QueueText {
    private QueueText() {}

    static String table(List<QueueInfo> queues) {
        if (queues.isEmpty()) {
            return "no queues";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("NAME", "PAUSED", "WAITING", "PENDING", "CLAIMED", "RUNNING", "LIMIT", "OLDEST DUE");
        for (QueueInfo queue : queues) {
            table.row(
                    queue.name(),
                    ages.of(queue.pausedAt()),
                    count(queue, JobStatus.WAITING, queue.waiting()),
                    count(queue, JobStatus.PENDING, queue.pending()),
                    count(queue, JobStatus.CLAIMED, queue.claimed()),
                    count(queue, JobStatus.RUNNING, queue.running()),
                    limit(queue),
                    ages.of(queue.oldestDue()));
        }
        return table.toString();
    }

    /** Used and allowed places, such as {@code 3 of 5}, and the rate; a dash without a limit. */
    private static String limit(QueueInfo queue) {
        List<String> parts = new ArrayList<>();
        queue.limit().maxRunning().ifPresent(max -> parts.add(queue.claimed() + queue.running() + " of " + max));
        queue.limit().rate().ifPresent(rate -> parts.add(rate.toString()));
        return parts.isEmpty() ? "-" : String.join(", ", parts);
    }

    private static String count(QueueInfo queue, JobStatus status, long jobs) {
        return Counts.of(jobs, queue.atLeast().contains(status));
    }
}
