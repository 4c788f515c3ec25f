package dev.muster.client;

import dev.muster.document.internal.AttemptDocument;
import dev.muster.document.internal.CancellationDocument;
import dev.muster.document.internal.EnqueuedDocument;
import dev.muster.document.internal.JobCountsDocument;
import dev.muster.document.internal.JobDocument;
import dev.muster.document.internal.JobPageDocument;
import dev.muster.document.internal.JobQueryDocument;
import dev.muster.document.internal.JobRequestDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.LogLineDocument;
import dev.muster.document.internal.RetryableJobsDocument;
import dev.muster.internal.runtime.ResultJson;
import dev.muster.job.BulkCancellation;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.Enqueuer;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.LogLine;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Jobs over HTTP. */
final class ClientJobs implements Jobs {
    private static final String JOBS = "/_api/jobs";
    private static final int MOST_IN_PAGE = 1_000;

    private final Gateway gateway;
    private final JsonCodec json;

    ClientJobs(Gateway gateway, JsonCodec json) {
        this.gateway = gateway.invalid(InvalidJob::new);
        this.json = json;
    }

    @Override
    public Enqueuer in(Connection connection) {
        throw new NeedsDatabase("enqueuing in a transaction");
    }

    @Override
    public List<JobId> enqueueAll(Collection<JobRequest> requests) {
        return submitAll(requests).stream().map(Enqueued::id).toList();
    }

    @Override
    public List<Enqueued> submitAll(Collection<JobRequest> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        // The cluster knows such a request again, and creates no second job.
        boolean repeatable = requests.stream()
                .allMatch(request -> request.key().isPresent() || request.id().isPresent());
        Map<String, @Nullable Object> body = new JsonObjectWriter()
                .put("jobs", JsonObjectWriter.list(requests, request -> JobRequestDocument.write(request, json)))
                .done();
        return gateway.post(JOBS + "/many", body, repeatable).list("jobs").stream()
                .map(EnqueuedDocument::read)
                .toList();
    }

    @Override
    public JobId enqueue(JobRequest request) {
        boolean repeatable = request.key().isPresent() || request.id().isPresent();
        return gateway.post(JOBS, JobRequestDocument.write(request, json), repeatable)
                .parsed("id", JobId::of);
    }

    @Override
    public Optional<JobInfo> find(JobId id) {
        return gateway.find(Gateway.path(JOBS, id)).map(JobDocument::read);
    }

    @Override
    public JobInfo await(JobId id, Duration timeout) {
        return Polling.until(
                "job " + id + " to end",
                timeout,
                job -> job.status().isTerminal(),
                () -> find(id).orElseThrow(() -> new MusterException("there is no job " + id)));
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R> @Nullable R result(JobType<?, R> type, JobInfo job) {
        if (type.result() == Void.class) {
            return null;
        }
        return (R) job.result()
                .map(text -> ResultJson.read(json, text, type.result(), "job '" + job.name() + "' (" + job.id() + ")"))
                .orElse(null);
    }

    @Override
    public List<JobInfo> list(JobQuery query) {
        List<JobInfo> jobs = new ArrayList<>();
        JobQuery rest = query;
        while (true) {
            JobPage page = search(rest);
            jobs.addAll(page.jobs());
            int left = query.limit() - jobs.size();
            if (left <= 0 || page.next().isEmpty()) {
                return jobs;
            }
            rest = query.limit(left).before(page.next().get());
        }
    }

    @Override
    public JobPage search(JobQuery query) {
        JobQuery page = query.limit() > MOST_IN_PAGE ? query.limit(MOST_IN_PAGE) : query;
        return JobPageDocument.read(gateway.get(JOBS, JobQueryDocument.write(page)));
    }

    /** The gateway decides how long it searches; a page that is not full says how far back that was. */
    @Override
    public JobPage search(JobQuery query, Duration patience) {
        return search(query);
    }

    @Override
    public Map<JobStatus, JobCount> counts(JobQuery query) {
        return JobCountsDocument.read(gateway.get(JOBS + "/counts" + filter(query)));
    }

    @Override
    public Cancellation cancel(JobId id) {
        return gateway.tryPost(Gateway.path(JOBS, id, "cancel"), null, true)
                .map(CancellationDocument::read)
                .orElse(Cancellation.NOT_FOUND);
    }

    @Override
    public BulkCancellation cancelAll(JobQuery query) {
        return CancellationDocument.readBulk(gateway.post(JOBS + "/cancel" + filter(query), null, true));
    }

    @Override
    public int retryAll(JobQuery query) {
        return gateway.post(JOBS + "/retry" + filter(query), null, false).integer("retried");
    }

    @Override
    public List<RetryableJobs> retryable(JobQuery query) {
        return gateway.get(JOBS + "/retryable" + filter(query)).list("jobs").stream()
                .map(RetryableJobsDocument::read)
                .toList();
    }

    /** What a bulk operation selects: it has no pages. */
    private static String filter(JobQuery query) {
        if (query.before().isPresent()) {
            throw new InvalidJob("before is for pages of a list; over HTTP no other operation takes it");
        }
        Map<String, List<String>> parameters = JobQueryDocument.write(query);
        parameters.remove("limit");
        return Gateway.text(parameters);
    }

    @Override
    public List<LogLine> logs(JobId id, long afterLine, int limit) {
        List<LogLine> lines = new ArrayList<>();
        long after = afterLine;
        while (lines.size() < limit) {
            int wanted = Math.min(MOST_IN_PAGE, limit - lines.size());
            String page = Gateway.path(JOBS, id, "logs") + "?after=" + after + "&limit=" + wanted;
            List<LogLine> read = gateway.find(page).map(fields -> fields.list("lines")).orElse(List.of()).stream()
                    .map(LogLineDocument::read)
                    .toList();
            lines.addAll(read);
            if (read.size() < wanted) {
                break;
            }
            after = read.get(read.size() - 1).line();
        }
        return lines;
    }

    @Override
    public List<JobAttempt> attempts(JobId id) {
        return gateway
                .find(Gateway.path(JOBS, id, "attempts"))
                .map(fields -> fields.list("attempts"))
                .orElse(List.of())
                .stream()
                .map(AttemptDocument::read)
                .toList();
    }

    @Override
    public boolean retry(JobId id) {
        return gateway.changes("POST", Gateway.path(JOBS, id, "retry"), null, false);
    }

    @Override
    public int retryWithDependents(JobId id) {
        return gateway.tryPost(Gateway.path(JOBS, id, "retry") + "?with_dependents=true", null, false)
                .map(fields -> fields.integer("retried"))
                .orElse(0);
    }

    @Override
    public boolean reschedule(JobId id, Instant at) {
        return gateway.changes(
                "POST",
                Gateway.path(JOBS, id, "reschedule"),
                new JsonObjectWriter().put("at", at).done(),
                true);
    }

    @Override
    public boolean reschedule(JobId id, Duration delay) {
        Map<String, @Nullable Object> body = new JsonObjectWriter()
                .put("delay", JsonObjectWriter.duration(Optional.of(delay)))
                .done();
        return gateway.changes("POST", Gateway.path(JOBS, id, "reschedule"), body, true);
    }

    @Override
    public boolean reprioritise(JobId id, Priority priority) {
        Map<String, @Nullable Object> body = new JsonObjectWriter()
                .put("priority", priority.name().toLowerCase(Locale.ROOT))
                .done();
        return gateway.changes("POST", Gateway.path(JOBS, id, "reprioritise"), body, true);
    }
}
