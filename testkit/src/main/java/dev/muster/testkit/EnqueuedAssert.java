package dev.muster.testkit;

import dev.muster.internal.runtime.Plural;
import dev.muster.job.JobInfo;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Assertions on enqueued jobs. Each {@code with…} keeps the jobs that match, and fails if none does. */
public final class EnqueuedAssert {
    private static final Duration TOLERANCE = Duration.ofSeconds(1);

    private final List<JobInfo> all;
    private final String description;
    private final List<JobInfo> found;

    EnqueuedAssert(List<JobInfo> all, String name) {
        this(all, "job '" + name + "'", all, job -> job.name().equals(name));
    }

    private EnqueuedAssert(List<JobInfo> all, String description, List<JobInfo> from, Predicate<JobInfo> fits) {
        this.all = all;
        this.description = description;
        this.found = from.stream().filter(fits).toList();
        if (found.isEmpty()) {
            throw new AssertionError("expected a " + description + ", but there were:\n" + JobText.of(all));
        }
    }

    private EnqueuedAssert with(String what, Predicate<JobInfo> fits) {
        return new EnqueuedAssert(all, description + " with " + what, found, fits);
    }

    /** The job's args equal these when both are written as JSON. */
    public EnqueuedAssert withArgs(@Nullable Object args) {
        String json = Codec.write(args);
        return with("args " + json, job -> Codec.same(job.args(), json));
    }

    public EnqueuedAssert withKey(String key) {
        return with("key '" + key + "'", job -> job.key().filter(key::equals).isPresent());
    }

    public EnqueuedAssert withPriority(Priority priority) {
        return with("priority " + priority, job -> job.priority() == priority);
    }

    public EnqueuedAssert withCapability(String capability) {
        return with(
                "capability '" + capability + "'",
                job -> job.capability().filter(capability::equals).isPresent());
    }

    public EnqueuedAssert inQueue(String queue) {
        return with("queue '" + queue + "'", job -> job.queue().equals(queue));
    }

    /** The job is or was due this long after it was enqueued, give or take a second. A retry changes a job's due time. */
    public EnqueuedAssert dueIn(Duration delay) {
        return with(
                "a delay of " + delay,
                job -> JobText.delay(job).minus(delay).abs().compareTo(TOLERANCE) < 0);
    }

    /** Exactly this many jobs match. */
    public EnqueuedAssert times(int count) {
        if (found.size() != count) {
            throw new AssertionError("expected a " + description + " " + Plural.of(count, "time") + ", but found "
                    + found.size() + " of these:\n" + JobText.of(all));
        }
        return this;
    }

    public EnqueuedAssert once() {
        return times(1);
    }

    /** Exactly one job matches; continues with that job. */
    public JobInfoAssert single() {
        return new JobInfoAssert(once().found.get(0));
    }
}
