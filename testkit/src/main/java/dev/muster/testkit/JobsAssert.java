package dev.muster.testkit;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions on what was enqueued. They read up to 10,000 jobs, live and ended. */
public final class JobsAssert extends AbstractAssert<JobsAssert, Jobs> {
    private static final int MOST = 10_000;

    JobsAssert(@Nullable Jobs jobs) {
        super(jobs, JobsAssert.class);
    }

    private List<JobInfo> all() {
        isNotNull();
        List<JobInfo> oldestFirst = new ArrayList<>(actual.list(JobQuery.all().limit(MOST)));
        Collections.reverse(oldestFirst);
        return oldestFirst;
    }

    /** There is a job with this name; continues with all such jobs. */
    public EnqueuedAssert enqueued(String name) {
        return new EnqueuedAssert(all(), name);
    }

    public EnqueuedAssert enqueued(JobType<?, ?> type) {
        return enqueued(type.name());
    }

    /** There is no job with this name. */
    public JobsAssert notEnqueued(String name) {
        List<JobInfo> found =
                all().stream().filter(job -> job.name().equals(name)).toList();
        if (!found.isEmpty()) {
            failWithMessage("expected no job '%s', but there were:%n%s", name, JobText.of(found));
        }
        return this;
    }

    public JobsAssert notEnqueued(JobType<?, ?> type) {
        return notEnqueued(type.name());
    }

    /** No job was enqueued. */
    public JobsAssert isEmpty() {
        List<JobInfo> all = all();
        if (!all.isEmpty()) {
            failWithMessage("expected no job, but there were:%n%s", JobText.of(all));
        }
        return this;
    }

    /** Continues with the current state of this job. */
    public JobInfoAssert job(JobId id) {
        isNotNull();
        return new JobInfoAssert(actual.find(id).orElseThrow(() -> new AssertionError("there is no job " + id)));
    }
}
