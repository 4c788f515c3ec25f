package dev.muster.testkit;

import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** Assertions on one job. */
public final class JobInfoAssert extends AbstractAssert<JobInfoAssert, JobInfo> {

    JobInfoAssert(@Nullable JobInfo job) {
        super(job, JobInfoAssert.class);
    }

    public JobInfoAssert hasStatus(JobStatus status) {
        return check(actualJob().status() == status, "status " + status.text());
    }

    public JobInfoAssert isCompleted() {
        return hasStatus(JobStatus.COMPLETED);
    }

    public JobInfoAssert isFailed() {
        return hasStatus(JobStatus.FAILED);
    }

    public JobInfoAssert isCancelled() {
        return hasStatus(JobStatus.CANCELLED);
    }

    /** The job is pending: it waits for a node, its due time, or a retry. */
    public JobInfoAssert isPending() {
        return hasStatus(JobStatus.PENDING);
    }

    /** The job waits for jobs that it depends on. */
    public JobInfoAssert isWaiting() {
        return hasStatus(JobStatus.WAITING);
    }

    /** The job expired, because no node claimed it in time. */
    public JobInfoAssert isExpired() {
        return hasStatus(JobStatus.EXPIRED);
    }

    /** The job is a dead letter whose error contains this: a part of the message, or the name of the exception. */
    public JobInfoAssert failedWith(String part) {
        return isFailed().hasError(part);
    }

    /** The job's last error contains this, whether or not the job has ended. */
    public JobInfoAssert hasError(String part) {
        return check(
                actualJob().error().filter(error -> error.contains(part)).isPresent(), "error with '" + part + "'");
    }

    /** The job's result equals this when both are written as JSON. */
    public JobInfoAssert hasResult(Object result) {
        String json = Codec.write(result);
        return check(
                actualJob().result().filter(actual -> Codec.same(actual, json)).isPresent(), "result " + json);
    }

    public JobInfoAssert hasNoResult() {
        return check(actualJob().result().isEmpty(), "no result");
    }

    /** The job's current or last attempt has this number. */
    public JobInfoAssert hasAttempt(int attempt) {
        return check(actualJob().attempt() == attempt, "attempt " + attempt);
    }

    public JobInfoAssert hasCrashes(int crashes) {
        return check(actualJob().crashes() == crashes, "crashes " + crashes);
    }

    /** The job runs, or last ran, on this node. */
    public JobInfoAssert ranOn(Node node) {
        return check(actualJob().node().filter(node.id()::equals).isPresent(), "node " + node.id());
    }

    private JobInfo actualJob() {
        isNotNull();
        return actual;
    }

    private JobInfoAssert check(boolean holds, String expected) {
        if (!holds) {
            String node = actual.node().map(n -> ", node " + n).orElse("");
            failWithMessage("expected a job with %s, but it is%n  %s%s", expected, JobText.of(actual), node);
        }
        return this;
    }
}
