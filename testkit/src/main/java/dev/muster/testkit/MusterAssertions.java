package dev.muster.testkit;

import dev.muster.job.JobInfo;
import dev.muster.job.Jobs;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;

/**
 * AssertJ's assertions together with Muster's: one static import of {@code assertThat} is enough for both.
 *
 * <pre>{@code
 * assertThat(jobs).enqueued("send_mail").withArgs(new Mail("ada@example.org")).once();
 * assertThat(job).isCompleted().hasResult(new Receipt(42));
 * }</pre>
 */
public final class MusterAssertions extends Assertions {
    private MusterAssertions() {}

    /** Assertions on all jobs, live and ended. */
    public static JobsAssert assertThat(@Nullable Jobs jobs) {
        return new JobsAssert(jobs);
    }

    /** Assertions on one job, in the state in which it was read. */
    public static JobInfoAssert assertThat(@Nullable JobInfo job) {
        return new JobInfoAssert(job);
    }
}
