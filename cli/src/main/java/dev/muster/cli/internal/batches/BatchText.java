package dev.muster.cli.internal.batches;

import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Table;
import dev.muster.job.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Batches as text. */
final class BatchText {
    private static final int NAME_WIDTH = 32;

    private BatchText() {}

    static String table(List<BatchInfo> batches) {
        if (batches.isEmpty()) {
            return "no batches";
        }
        Ages ages = new Ages(Instant.now());
        Table table =
                new Table("ID", "NAME", "STATUS", "COMPLETED", "FAILED", "CANCELLED", "EXPIRED", "CREATED", "CLOSED");
        for (BatchInfo batch : batches) {
            Optional<BatchCounts> counts = batch.counts();
            table.row(
                    batch.id(),
                    Table.cut(batch.name(), NAME_WIDTH),
                    batch.status().text(),
                    counts.map(c -> String.valueOf(c.completed())).orElse("-"),
                    counts.map(c -> String.valueOf(c.failed())).orElse("-"),
                    counts.map(c -> String.valueOf(c.cancelled())).orElse("-"),
                    counts.map(c -> String.valueOf(c.expired())).orElse("-"),
                    ages.of(batch.createdAt()),
                    ages.of(batch.closedAt()));
        }
        return table.toString();
    }

    static String details(BatchInfo batch) {
        Ages ages = new Ages(Instant.now());
        StringBuilder text = new StringBuilder();
        line(text, "id", batch.id().toString());
        line(text, "name", batch.name());
        line(
                text,
                "status",
                batch.status().text()
                        + (batch.cancelRequested() && !batch.status().isClosed() ? ", to be cancelled" : ""));
        line(
                text,
                "condition",
                batch.condition() + batch.successRate().map(rate -> " " + rate).orElse(""));
        batch.counts().ifPresent(counts -> line(text, "jobs", jobs(counts)));
        line(text, "completion", batch.completionJob().map(JobId::toString).orElse("-"));
        batch.decidingJob().ifPresent(job -> line(text, "decided by", job.toString()));
        line(text, "created", batch.createdAt() + "  " + ages.of(batch.createdAt()));
        line(text, "sealed", batch.sealedAt().map(t -> t + "  " + ages.of(t)).orElse("-"));
        line(text, "closed", batch.closedAt().map(t -> t + "  " + ages.of(t)).orElse("-"));
        return text.toString().stripTrailing();
    }

    private static String jobs(BatchCounts counts) {
        return counts.total() + ", " + counts.percent() + "% ended: " + counts.completed() + " completed, "
                + counts.failed() + " failed, " + counts.cancelled() + " cancelled, " + counts.expired() + " expired, "
                + counts.live() + " live";
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append("%-12s".formatted(name)).append(Table.oneLine(value)).append('\n');
    }
}
