package dev.muster.testkit;

import dev.muster.job.JobInfo;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Some of the jobs there are. Each {@code with…} leaves those that fit, and fails if there are none. */
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

    /** Its args say the same as these when written as JSON. */
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

    /** It is or was due this long after it was enqueued, give or take a second. A retry moves a job's due time. */
    public EnqueuedAssert dueIn(Duration delay) {
        return with(
                "a delay of " + delay,
                job -> JobText.delay(job).minus(delay).abs().compareTo(TOLERANCE) < 0);
    }

    /** There are exactly this many. */
    public EnqueuedAssert times(int count) {
        if (found.size() != count) {
            throw new AssertionError("expected a " + description + " " + count + " time(s), but found " + found.size()
                    + " of these:\n" + JobText.of(all));
        }
        return this;
    }

    public EnqueuedAssert once() {
        return times(1);
    }

    /** There is exactly one; goes on with it. */
    public JobInfoAssert single() {
        return new JobInfoAssert(once().found.get(0));
    }
}
