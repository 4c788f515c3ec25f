package dev.muster.testkit;

import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/** How a job stands. */
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

    /** It waits: for its turn, its due time, or a retry. */
    public JobInfoAssert isPending() {
        return hasStatus(JobStatus.PENDING);
    }

    /** It waits for jobs on which it depends. */
    public JobInfoAssert isWaiting() {
        return hasStatus(JobStatus.WAITING);
    }

    /** Nobody claimed it in time. */
    public JobInfoAssert isExpired() {
        return hasStatus(JobStatus.EXPIRED);
    }

    /** It is a dead letter whose error has this in it: a part of the message, or the name of the exception. */
    public JobInfoAssert failedWith(String part) {
        return isFailed().hasError(part);
    }

    /** Its last failure has this in it, whether or not it was the end. */
    public JobInfoAssert hasError(String part) {
        return check(
                actualJob().error().filter(error -> error.contains(part)).isPresent(), "error with '" + part + "'");
    }

    /** Its result says the same as this when written as JSON. */
    public JobInfoAssert hasResult(Object result) {
        String json = Codec.write(result);
        return check(
                actualJob().result().filter(actual -> Codec.same(actual, json)).isPresent(), "result " + json);
    }

    public JobInfoAssert hasNoResult() {
        return check(actualJob().result().isEmpty(), "no result");
    }

    /** Its current or last attempt has this number. */
    public JobInfoAssert hasAttempt(int attempt) {
        return check(actualJob().attempt() == attempt, "attempt " + attempt);
    }

    public JobInfoAssert hasCrashes(int crashes) {
        return check(actualJob().crashes() == crashes, "crashes " + crashes);
    }

    /** It runs, or last ran, on this node. */
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
