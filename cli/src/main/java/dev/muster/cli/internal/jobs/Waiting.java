package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Bar;
import dev.muster.cli.internal.console.CommandWait;
import dev.muster.cli.internal.console.Terminal;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
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

/**
 * Waits for jobs to end. After a moment it prints on standard error what the jobs wait for and why, and again whenever that changes; on a
 * terminal there is also a progress line.
 */
final class Waiting {
    private static final Duration REPORT_AFTER = Duration.ofSeconds(2);
    private static final Duration SLICE = Duration.ofMillis(500);
    private static final Duration POLL = Duration.ofMillis(250);
    private static final Bar BAR = new Bar(30);

    private final Jobs jobs;
    private final CommandWait wait;
    private final Terminal terminal;
    private String lastSaid = "";
    private @Nullable Duration lastLooked;

    Waiting(Jobs jobs, CommandWait wait) {
        this.jobs = jobs;
        this.wait = wait;
        this.terminal = wait.terminal();
    }

    /** Returns the jobs when all have ended or the limit is reached. */
    List<JobInfo> untilEnded(List<JobId> ids) throws InterruptedException {
        String which = ids.size() == 1
                ? "job " + ids.get(0)
                : ids.size() + " jobs, " + ids.get(0) + " to " + ids.get(ids.size() - 1);
        return wait.run(
                which + (ids.size() == 1 ? " to end" : ", to end"),
                which + (ids.size() == 1 ? " stays and runs" : " stay and run")
                        + " without this command. muster jobs show " + ids.get(0),
                () -> waitFor(ids));
    }

    private List<JobInfo> waitFor(List<JobId> ids) throws InterruptedException {
        if (ids.size() == 1) {
            return List.of(untilEnded(ids.get(0)));
        }
        List<JobInfo> ended = new ArrayList<>();
        for (List<JobId> some : JobChunks.split(ids)) {
            ended.addAll(untilEnded(some, ended.size(), ids.size()));
        }
        return ended;
    }

    /** Prints what a job waits for, unless that has not changed. */
    private void say(JobInfo job, String about) {
        String state = job.status() == JobStatus.RUNNING || job.status() == JobStatus.CLAIMED
                ? job.status().text() + " on node " + job.node().orElse("?") + ", attempt " + job.attempt() + " of "
                        + job.maxAttempts()
                : job.status().text()
                        + job.waitingReason().map(why -> ": " + why).orElse("");
        if (!state.equals(lastSaid)) {
            lastSaid = state;
            terminal.line("muster: " + about + " is " + state);
        }
    }

    private JobInfo untilEnded(JobId id) {
        while (true) {
            Duration next = wait.next(SLICE);
            JobInfo job = jobs.await(id, next);
            if (job.status().isTerminal() || next.isZero()) {
                return job;
            }
            if (wait.elapsed().compareTo(REPORT_AFTER) >= 0) {
                say(job, "the job");
            }
            terminal.show(JobText.live(job, wait.elapsed()));
        }
    }

    private List<JobInfo> untilEnded(List<JobId> ids, int done, int total) throws InterruptedException {
        Map<JobId, JobInfo> known = new HashMap<>();
        List<JobId> open = ids;
        while (true) {
            Duration next = wait.next(POLL);
            new JobChunks(jobs).find(open).forEach(job -> known.put(job.id(), job));
            open = open.stream()
                    .filter(id -> !known.get(id).status().isTerminal())
                    .toList();
            if (open.isEmpty() || next.isZero()) {
                return ids.stream().map(known::get).toList();
            }
            int ended = done + ids.size() - open.size();
            sayOfFirst(open.get(0));
            terminal.show(
                    Ages.brief(wait.elapsed()) + "  " + BAR.of(ended, total) + " " + ended + " of " + total + " ended");
            TimeUnit.MILLISECONDS.sleep(next.toMillis());
        }
    }

    /** A list does not contain the reasons why jobs wait, so now and then the first job is read by itself. */
    private void sayOfFirst(JobId id) {
        Duration last = lastLooked == null ? Duration.ZERO : lastLooked;
        if (wait.elapsed().minus(last).compareTo(REPORT_AFTER) >= 0) {
            lastLooked = wait.elapsed();
            jobs.find(id)
                    .filter(job -> !job.status().isTerminal())
                    .ifPresent(job -> say(job, "the first that has not ended, " + id + ","));
        }
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
