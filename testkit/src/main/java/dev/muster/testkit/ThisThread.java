package dev.muster.testkit;

import dev.muster.internal.job.JobRegistry;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.testkit.LiveJobs.Live;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Runs the jobs of a cluster on the calling thread. */
final class ThisThread {
    static final int MOST_RUNS = 1_000;

    private final DueJobs due;
    private final Set<String> handled;
    private final Jobs jobs;
    private final LiveJobs live;
    private final FakeClock clock;
    private final Consumer<JobId> awaitEnded;
    private Set<String> capabilities = Set.of();

    /** @param awaitEnded waits for a job that a node has claimed */
    ThisThread(
            JobRegistry registry, DueJobs due, Jobs jobs, LiveJobs live, FakeClock clock, Consumer<JobId> awaitEnded) {
        if (registry.isEmpty()) {
            throw new AssertionError("there are no handlers to run jobs with; name them in @MusterTest(handlers = …),"
                    + " or call cluster.register(…)");
        }
        this.due = due;
        this.handled = registry.names();
        this.jobs = jobs;
        this.live = live;
        this.clock = clock;
        this.awaitEnded = awaitEnded;
    }

    JobInfo runOne() {
        return found(runNext(handled).orElseThrow(() -> failure("there is no due job to run")));
    }

    List<JobInfo> fastForward(Duration atMost, int mostRuns) {
        Set<JobId> ran = new LinkedHashSet<>();
        Duration left = atMost;
        int runs = 0;
        while (true) {
            Optional<JobId> next = runNext(handled);
            if (next.isPresent()) {
                ran.add(next.get());
                if (++runs > mostRuns) {
                    throw failure("gave up after " + mostRuns + " runs");
                }
                continue;
            }
            Optional<Duration> ahead = live.untilDue(handled, null);
            if (ahead.isEmpty() || ahead.get().compareTo(left) > 0) {
                break;
            }
            left = left.minus(skip(ahead.get()));
        }
        if (live.all().stream().anyMatch(Live::isOpen)) {
            throw failure("jobs are left that the test's thread cannot run; register their handlers, or wait for nodes"
                    + " with awaitIdle()");
        }
        return ran.stream().map(this::found).toList();
    }

    private Duration skip(Duration ahead) {
        Duration step = ahead.isNegative() ? Duration.ZERO : ahead;
        clock.advance(step);
        return step;
    }

    JobInfo run(JobRequest request) {
        if (!handled.contains(request.name())) {
            throw new AssertionError(
                    "there is no handler for job '" + request.name() + "' here; there are handlers for " + handled);
        }
        JobId id = jobs.enqueue(request);
        Set<String> name = Set.of(request.name());
        for (int runs = 0; runs < MOST_RUNS; runs++) {
            JobInfo job = found(id);
            if (job.status().isTerminal()) {
                return job;
            }
            if (runNext(name).isEmpty()) {
                live.untilDue(name, id).ifPresentOrElse(this::skip, () -> awaitEnded.accept(id));
            }
        }
        throw failure("gave up after " + MOST_RUNS + " runs of job '" + request.name() + "'");
    }

    private Optional<JobId> runNext(Set<String> names) {
        Optional<JobId> ran = due.runNext(names, capabilities);
        if (ran.isPresent()) {
            return ran;
        }
        due.sweep();
        capabilities = live.capabilities();
        return due.runNext(names, capabilities);
    }

    private JobInfo found(JobId id) {
        return jobs.find(id).orElseThrow(() -> new AssertionError("there is no job " + id));
    }

    private AssertionError failure(String what) {
        return new AssertionError(what + "; jobs that have not ended:\n" + LiveJobs.describe(live.all(), handled));
    }
}
