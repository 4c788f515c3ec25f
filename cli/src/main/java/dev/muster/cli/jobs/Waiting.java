package dev.muster.cli.jobs;

import dev.muster.cli.console.Ages;
import dev.muster.cli.console.Terminal;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Jobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Waits for jobs to end, with a line on the terminal that says how it goes. */
final class Waiting {
    private static final Duration SLICE = Duration.ofMillis(500);

    private final Jobs jobs;
    private final Terminal terminal;
    private final @Nullable Duration limit;
    private final long start = System.nanoTime();

    /** @param limit how long to wait in all; null: for as long as it takes */
    Waiting(Jobs jobs, Terminal terminal, @Nullable Duration limit) {
        this.jobs = jobs;
        this.terminal = terminal;
        this.limit = limit;
    }

    /** The jobs as they are when all have ended, or when the time is up. */
    List<JobInfo> untilEnded(List<JobId> ids) throws InterruptedException {
        List<JobInfo> ended = new ArrayList<>();
        for (JobId id : ids) {
            ended.add(untilEnded(id, ended.size(), ids.size()));
        }
        terminal.clear();
        return ended;
    }

    private JobInfo untilEnded(JobId id, int done, int total) throws InterruptedException {
        while (true) {
            Duration left = left();
            JobInfo job = jobs.await(id, left.compareTo(SLICE) < 0 ? left : SLICE);
            if (job.status().isTerminal() || left.isZero()) {
                return job;
            }
            String count = total == 1 ? "" : done + " of " + total + " ended, now ";
            terminal.show(
                    count + job.name() + " " + id + " " + job.status().text() + ", waiting " + Ages.brief(elapsed()));
        }
    }

    private Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private Duration left() {
        if (limit == null) {
            return SLICE;
        }
        Duration left = limit.minus(elapsed());
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** How many jobs ended how: "998 completed, 2 failed". */
    static String summary(List<JobInfo> jobs) {
        Map<String, Long> counts = jobs.stream()
                .collect(Collectors.groupingBy(job -> job.status().text(), TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }
}
