package dev.muster.cli.queues;

import dev.muster.cli.console.Ages;
import dev.muster.cli.console.Counts;
import dev.muster.cli.console.Table;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import java.time.Instant;
import java.util.List;

/** Queues as text. */
final class QueueText {
    private QueueText() {}

    static String table(List<QueueInfo> queues) {
        if (queues.isEmpty()) {
            return "no queues";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("NAME", "PAUSED", "WAITING", "PENDING", "CLAIMED", "RUNNING", "OLDEST DUE");
        for (QueueInfo queue : queues) {
            table.row(
                    queue.name(),
                    ages.of(queue.pausedAt()),
                    count(queue, JobStatus.WAITING, queue.waiting()),
                    count(queue, JobStatus.PENDING, queue.pending()),
                    count(queue, JobStatus.CLAIMED, queue.claimed()),
                    count(queue, JobStatus.RUNNING, queue.running()),
                    ages.of(queue.oldestDue()));
        }
        return table.toString();
    }

    private static String count(QueueInfo queue, JobStatus status, long jobs) {
        return Counts.of(jobs, queue.atLeast().contains(status));
    }
}
