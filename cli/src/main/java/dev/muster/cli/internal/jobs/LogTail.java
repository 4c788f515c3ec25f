package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.Listing;
import dev.muster.cli.internal.console.Table;
import dev.muster.document.internal.LogLineDocument;
import dev.muster.job.JobId;
import dev.muster.job.Jobs;
import dev.muster.job.LogLine;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Copies a job's log lines, each of them once, to a listing. */
final class LogTail {
    private static final int PAGE = 1_000;
    private static final long POLL_MS = 250;
    /** Nodes write log lines with a short delay, so the last ones may come after the job has ended. */
    private static final Duration LAST_LINES = Duration.ofSeconds(1);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final Jobs jobs;
    private final JobId id;
    private final Listing listing;
    private long lastLine;

    LogTail(Jobs jobs, JobId id, Listing listing) {
        this.jobs = jobs;
        this.id = id;
        this.listing = listing;
    }

    /** Copies the lines that exist and were not copied yet. */
    void read() {
        List<LogLine> page;
        do {
            page = jobs.logs(id, lastLine, PAGE);
            for (LogLine line : page) {
                listing.add(() -> LogLineDocument.write(line), () -> text(line));
                lastLine = line.line();
            }
        } while (page.size() == PAGE && listing.isRead());
    }

    /** Copies lines as they come, until the job has ended and all of its lines are copied, or the output is closed. */
    void follow() throws InterruptedException {
        while (!hasEnded() && listing.isRead()) {
            read();
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        long ended = System.nanoTime();
        boolean settled = false;
        while (!settled && listing.isRead()) {
            settled = System.nanoTime() - ended >= LAST_LINES.toNanos();
            read();
            TimeUnit.MILLISECONDS.sleep(settled ? 0 : POLL_MS);
        }
    }

    private boolean hasEnded() {
        return jobs.find(id).map(job -> job.status().isTerminal()).orElse(true);
    }

    private static String text(LogLine line) {
        String head = "%s  attempt %d  %-5s  ".formatted(TIME.format(line.at()), line.attempt(), line.level());
        return head
                + line.message()
                        .lines()
                        .map(Table::oneLine)
                        .collect(Collectors.joining("\n" + " ".repeat(head.length())));
    }
}
