package dev.muster.cli.jobs;

import dev.muster.cli.console.Ages;
import dev.muster.cli.console.Bar;
import dev.muster.cli.console.Terminal;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Jobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Waits for jobs to end, with a line on the terminal that says how it goes. */
final class Waiting {
    private static final Duration SLICE = Duration.ofMillis(500);
    private static final Duration POLL = Duration.ofMillis(250);
    private static final Bar BAR = new Bar(30);

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
        if (ids.size() == 1) {
            ended.add(untilEnded(ids.get(0)));
        } else {
            for (List<JobId> some : Batches.split(ids)) {
                ended.addAll(untilEnded(some, ended.size(), ids.size()));
            }
        }
        terminal.clear();
        return ended;
    }

    private JobInfo untilEnded(JobId id) {
        while (true) {
            Duration left = left();
            JobInfo job = jobs.await(id, left.compareTo(SLICE) < 0 ? left : SLICE);
            if (job.status().isTerminal() || left.isZero()) {
                return job;
            }
            terminal.show(JobText.live(job, elapsed()));
        }
    }

    private List<JobInfo> untilEnded(List<JobId> ids, int done, int total) throws InterruptedException {
        Map<JobId, JobInfo> known = new HashMap<>();
        List<JobId> open = ids;
        while (true) {
            Duration left = left();
            new Batches(jobs).find(open).forEach(job -> known.put(job.id(), job));
            open = open.stream()
                    .filter(id -> !known.get(id).status().isTerminal())
                    .toList();
            if (open.isEmpty() || left.isZero()) {
                return ids.stream().map(known::get).toList();
            }
            int ended = done + ids.size() - open.size();
            terminal.show(
                    Ages.brief(elapsed()) + "  " + BAR.of(ended, total) + " " + ended + " of " + total + " ended");
            TimeUnit.MILLISECONDS.sleep(Math.min(left.toMillis(), POLL.toMillis()));
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
