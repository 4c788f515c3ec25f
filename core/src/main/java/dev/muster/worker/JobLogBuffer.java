package dev.muster.worker;

import dev.muster.job.ClaimedJob;
import dev.muster.job.JobLog;
import dev.muster.job.JobStore;
import dev.muster.job.JobStore.NewLogLine;
import dev.muster.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Log lines of handlers on their way to the database: written in batches, capped per attempt, bounded in all. */
final class JobLogBuffer {
    private static final int MAX_LINES_PER_ATTEMPT = 1_000;
    private static final int MAX_LENGTH = 4_000;
    private static final int MAX_WAITING = 20_000;
    private static final int BATCH = 1_000;

    private final JobStore store;
    private final Clock clock;
    private final ConcurrentLinkedQueue<Line> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    private record Line(ClaimedJob job, String level, String message, long at) {}

    JobLogBuffer(JobStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** The log of one attempt. */
    JobLog of(ClaimedJob job) {
        AtomicInteger lines = new AtomicInteger();
        return new JobLog() {
            @Override
            public void info(String message) {
                add("info", message);
            }

            @Override
            public void warn(String message) {
                add("warn", message);
            }

            @Override
            public void error(String message) {
                add("error", message);
            }

            private void add(String level, String message) {
                int number = lines.incrementAndGet();
                if (number <= MAX_LINES_PER_ATTEMPT) {
                    JobLogBuffer.this.add(job, level, message);
                } else if (number == MAX_LINES_PER_ATTEMPT + 1) {
                    JobLogBuffer.this.add(
                            job,
                            "warn",
                            "further lines of this attempt are dropped: " + MAX_LINES_PER_ATTEMPT + " are kept");
                }
            }
        };
    }

    private void add(ClaimedJob job, String level, String message) {
        if (count.get() >= MAX_WAITING) {
            return;
        }
        String text = String.valueOf(message).replace('\0', '\uFFFD');
        count.incrementAndGet();
        waiting.add(new Line(
                job, level, text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…", clock.nanos()));
    }

    /** Writes what waits. Lines that cannot be written now stay for the next call. */
    synchronized void flush() {
        while (!waiting.isEmpty()) {
            List<Line> batch = new ArrayList<>();
            for (Line line : waiting) {
                if (batch.size() == BATCH) {
                    break;
                }
                batch.add(line);
            }
            long now = clock.nanos();
            store.appendLogs(batch.stream()
                    .map(line -> new NewLogLine(
                            line.job().id(),
                            line.job().attempt(),
                            line.level(),
                            line.message(),
                            TimeUnit.NANOSECONDS.toMillis(now - line.at())))
                    .toList());
            for (int i = 0; i < batch.size(); i++) {
                waiting.poll();
            }
            count.addAndGet(-batch.size());
        }
    }
}
