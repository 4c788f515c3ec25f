package dev.muster.gateway.internal.rest;

import static dev.muster.gateway.internal.rest.Parameters.jobId;

import dev.muster.document.internal.CancellationDocument;
import dev.muster.document.internal.EnqueuedDocument;
import dev.muster.document.internal.JobCountsDocument;
import dev.muster.document.internal.JobQueryDocument;
import dev.muster.document.internal.JobRequestDocument;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.LogLineDocument;
import dev.muster.document.internal.RetryableJobsDocument;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.Cancellation;
import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Jobs: enqueue, list, show, cancel, retry, reschedule. */
public final class JobRoutes {
    private static final int MOST_JOBS = 1_000;
    private static final int MOST_NEW_JOBS = 10_000;
    private static final int MOST_PARENTS = 50_000;

    /** A page is answered within about this time; it says how far it was searched. */
    private static final Duration PATIENCE = Duration.ofMillis(250);

    private static final Schema STATUS = Schema.oneOf(Schemas.STATUSES);

    public static final List<Route> ALL = List.of(
            filtered(Route.get("/_api/jobs", "List or search jobs, the newest first."))
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .query("before", Schema.uuid(), Parameters.BEFORE_TEXT)
                    .answers(Schemas.JOB_PAGE)
                    .tenantsConfined()
                    .to(JobRoutes::list),
            Route.post("/_api/jobs", "Enqueue a job. With a key that is taken, answers 200 and the existing job.")
                    .header("Idempotency-Key", "the job's key, instead of key in the body")
                    .takes(Schemas.JOB_REQUEST)
                    .answers(201, Schemas.JOB)
                    .orAnswers(200, Schemas.JOB, "a job with this key and these args was there before")
                    .answersHeader("Location", Parameters.LOCATION_TEXT)
                    .tenantsConfined()
                    .to(JobRoutes::enqueue),
            Route.post("/_api/jobs/many", "Enqueue up to 10,000 jobs, all or none.")
                    .takes(Schemas.listOf("jobs", Schemas.JOB_REQUEST))
                    .answers(201, Schemas.listOf("jobs", Schemas.ENQUEUED))
                    .tenantsConfined()
                    .to(JobRoutes::enqueueMany),
            filtered(Route.get(
                            "/_api/jobs/counts", "Count the jobs of each status that match; status itself is ignored."))
                    .answers(Schemas.ALL_COUNTS)
                    .tenantsConfined()
                    .to(call -> Answer.of(
                            JobCountsDocument.write(call.muster().jobs().counts(query(call))))),
            filtered(Route.get("/_api/jobs/retryable", "Count the ended jobs that a retry of all would retry."))
                    .answers(Schemas.listOf("jobs", Schemas.RETRYABLE))
                    .tenantsConfined()
                    .to(call -> Answer.of(Map.of(
                            "jobs",
                            call.muster().jobs().retryable(query(call)).stream()
                                    .map(RetryableJobsDocument::write)
                                    .toList()))),
            filtered(Route.post("/_api/jobs/cancel", "Cancel all live jobs that match; at least one filter is needed."))
                    .audited("jobs.cancel_all")
                    .answers(Schemas.BULK_CANCELLATION)
                    .tenantsConfined()
                    .to(call -> Answer.of(
                            CancellationDocument.write(call.muster().jobs().cancelAll(selective(call))))),
            filtered(Route.post("/_api/jobs/retry", "Retry all ended jobs that match; at least one filter is needed."))
                    .audited("jobs.retry_all")
                    .answers(Schemas.RETRIED)
                    .tenantsConfined()
                    .to(JobRoutes::retryAll),
            Route.get("/_api/jobs/{id}", "Show a job, and why it is not running.")
                    .path("id", Schema.uuid())
                    .answers(Schemas.JOB)
                    .tenantsConfined()
                    .to(call -> Answer.of(Tenancy.of(call).document(Tenancy.job(call, jobId(call))))),
            Route.get("/_api/jobs/{id}/logs", "The lines that the job's handler logged, oldest first.")
                    .path("id", Schema.uuid())
                    .query("after", Schema.integer(), "only lines after this one; 0 starts with the first")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .answers(Schemas.listOf("lines", Schemas.LOG_LINE))
                    .tenantsConfined()
                    .to(JobRoutes::logs),
            Route.get("/_api/jobs/{id}/attempts", "The attempts of a job that have ended, oldest first.")
                    .path("id", Schema.uuid())
                    .answers(Schemas.listOf("attempts", Schemas.ATTEMPT))
                    .tenantsConfined()
                    .to(JobRoutes::attempts),
            Route.post("/_api/jobs/{id}/cancel", "Cancel a job: at once if it is pending, otherwise its node is told.")
                    .path("id", Schema.uuid())
                    .audited("jobs.cancel")
                    .answers(Schemas.CANCELLATION)
                    .tenantsConfined()
                    .to(JobRoutes::cancel),
            Route.post("/_api/jobs/{id}/retry", "Retry a failed, cancelled or expired job.")
                    .path("id", Schema.uuid())
                    .audited("jobs.retry")
                    .query("with_dependents", Schema.flag(), "also the jobs that were cancelled because of it")
                    .answers(Schemas.RETRIED)
                    .tenantsConfined()
                    .to(JobRoutes::retry),
            Route.post("/_api/jobs/{id}/reschedule", "Change when a job is due that no node has claimed.")
                    .path("id", Schema.uuid())
                    .audited("jobs.reschedule", "at", "delay")
                    .takes(Schema.object().members("at:time~ delay:duration~"))
                    .answers(Schemas.JOB)
                    .tenantsConfined()
                    .to(JobRoutes::reschedule),
            Route.post("/_api/jobs/{id}/reprioritise", "Change the priority of a job that no node has claimed.")
                    .path("id", Schema.uuid())
                    .audited("jobs.reprioritise", "priority")
                    .takes(Schema.object().with("priority", Schemas.PRIORITY))
                    .answers(Schemas.JOB)
                    .tenantsConfined()
                    .to(JobRoutes::reprioritise));

    private JobRoutes() {}

    private static Route.Builder filtered(Route.Builder route) {
        return route.queries("id", Schema.uuid(), "only these jobs")
                .queries("status", STATUS, "only jobs with one of these statuses")
                .query("name", Schema.text(), "only jobs with this name")
                .query("queue", Schema.text(), "only jobs of this queue")
                .queries("tag", Schema.text(), "only jobs with all of these tags")
                .query(
                        "metadata.*",
                        Schema.text(),
                        "the same as metadata, as a parameter of its own: metadata.customer=42")
                .queries("metadata", Schema.text(), "only jobs with this metadata, such as metadata=customer=42")
                .query("key", Schema.text(), "only jobs with this idempotency key")
                .query("batch", Schema.uuid(), "only jobs of this batch");
    }

    private static JobQuery query(Call call) {
        Parameters.limit(call, MOST_JOBS);
        return Tenancy.of(call).confine(JobQueryDocument.read(call.query()));
    }

    /** A bulk action without any filter would hit every job: nobody gets that by leaving something out. */
    private static JobQuery selective(Call call) {
        if (call.query().isEmpty()) {
            throw Refusal.badRequest("at least one filter is needed, such as name or queue");
        }
        return query(call);
    }

    private static Answer list(Call call) {
        JobPage page = call.muster().jobs().search(query(call), PATIENCE);
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put(
                "jobs", page.jobs().stream().map(Tenancy.of(call)::document).toList());
        document.put("next", page.next().map(JobId::toString).orElse(null));
        document.put("searched_back_to", page.searchedBackTo().map(Json::time).orElse(null));
        return Answer.of(document);
    }

    private static Answer enqueue(Call call) {
        JsonObjectReader fields = call.fields();
        JobRequest request = JobRequestDocument.read(fields);
        Optional<String> key = call.header("Idempotency-Key");
        if (key.isPresent()) {
            if (request.key().isPresent() && !request.key().equals(key)) {
                throw Refusal.badRequest("key: differs from the header Idempotency-Key");
            }
            request = request.key(key.get());
        }
        Tenancy tenancy = Tenancy.of(call);
        Enqueued enqueued = call.muster()
                .jobs()
                .submitAll(tenancy.confine(List.of(request)))
                .get(0);
        Map<String, @Nullable Object> document =
                AfterChange.read(call, () -> tenancy.document(Tenancy.job(call, enqueued.id())), "id", enqueued.id());
        Answer answer = enqueued.created() ? Answer.created(document) : Answer.of(document);
        return answer.header("Location", "jobs/" + enqueued.id());
    }

    private static Answer enqueueMany(Call call) {
        JsonObjectReader fields = call.fields();
        fields.refuseOthers("jobs");
        refuseTooMany(fields.sizeOf("jobs"));
        List<JobRequest> requests =
                fields.list("jobs").stream().map(JobRequestDocument::read).toList();
        if (requests.isEmpty()) {
            throw tooMany(0);
        }
        refuseTooManyParents(requests);
        return Answer.created(Map.of(
                "jobs",
                call.muster().jobs().submitAll(Tenancy.of(call).confine(requests)).stream()
                        .map(EnqueuedDocument::write)
                        .toList()));
    }

    private static void refuseTooMany(int jobs) {
        if (jobs > MOST_NEW_JOBS) {
            throw tooMany(jobs);
        }
    }

    private static Refusal tooMany(int jobs) {
        return Refusal.badRequest("jobs: must have 1 to " + MOST_NEW_JOBS + " jobs, not " + jobs);
    }

    /** Parents have to be looked up, which costs more than reading their ids. */
    private static void refuseTooManyParents(List<JobRequest> jobs) {
        long parents = jobs.stream()
                .mapToLong(job ->
                        job.dependsOn().size() + job.dependsOnAnyOutcome().size())
                .sum();
        if (parents > MOST_PARENTS) {
            throw Refusal.badRequest("jobs: depend on " + parents + " jobs, those that are named twice counted twice; "
                    + MOST_PARENTS + " are allowed in one request");
        }
    }

    private static Answer logs(Call call) {
        JobId id = Tenancy.job(call, jobId(call)).id();
        int after = call.query("after", 0, 0, Integer.MAX_VALUE);
        return Answer.of(Map.of(
                "lines",
                call.muster().jobs().logs(id, after, Parameters.limit(call, MOST_JOBS)).stream()
                        .map(LogLineDocument::write)
                        .toList()));
    }

    private static Answer attempts(Call call) {
        JobId id = Tenancy.job(call, jobId(call)).id();
        return Answer.of(Map.of(
                "attempts",
                call.muster().jobs().attempts(id).stream()
                        .map(Tenancy.of(call)::document)
                        .toList()));
    }

    private static Answer cancel(Call call) {
        JobId id = Tenancy.job(call, jobId(call)).id();
        Cancellation cancellation = call.muster().jobs().cancel(id);
        if (cancellation == Cancellation.NOT_FOUND) {
            throw Parameters.none("job", id);
        }
        return Answer.of(CancellationDocument.write(cancellation));
    }

    private static Answer retryAll(Call call) {
        JobQuery query = selective(call);
        if (!call.caller().names().allowsAll()) {
            call.requireStart(query.name()
                    .orElseThrow(() -> Refusal.forbidden("name: is needed, because you may start only "
                            + call.caller().names())));
        }
        return retried(call.muster().jobs().retryAll(query));
    }

    private static Answer retry(Call call) {
        JobInfo job = Tenancy.job(call, jobId(call));
        call.requireStart(job.name());
        if (call.flag("with_dependents") && !call.caller().names().allowsAll()) {
            throw Refusal.forbidden("with_dependents: is not for you, because you may start only "
                    + call.caller().names());
        }
        int retried = Tenancy.of(call).retry(job, call.flag("with_dependents"));
        if (retried == 0) {
            throw Refusal.unchanged(
                    "job " + job.id() + " cannot be retried: it has not failed, or somebody has retried it");
        }
        return retried(retried);
    }

    private static Answer retried(int count) {
        return Answer.of(Map.of("retried", count));
    }

    private static Answer reschedule(Call call) {
        JsonObjectReader fields = call.fields();
        fields.refuseOthers("at", "delay");
        Optional<Instant> at = fields.optionalInstant("at");
        Optional<Duration> delay = fields.optionalParsed("delay", DurationText::parse);
        if (at.isPresent() == delay.isPresent()) {
            throw Refusal.badRequest("give either at or delay");
        }
        JobId id = Tenancy.job(call, jobId(call)).id();
        boolean done = at.isPresent()
                ? call.muster().jobs().reschedule(id, at.get())
                : call.muster().jobs().reschedule(id, delay.orElseThrow());
        return changed(call, id, done);
    }

    private static Answer reprioritise(Call call) {
        JsonObjectReader fields = call.fields();
        fields.refuseOthers("priority");
        Priority priority = fields.parsed("priority", Priority::parse);
        JobInfo job = Tenancy.job(call, jobId(call));
        if (call.caller().tenant().isPresent()) {
            // A tenant may give its jobs the priorities with which it may enqueue them.
            JobRequest likeIt = JobRequest.of(job.name()).priority(priority).requestedBy(call.requester());
            call.muster().api(NodeContext.class).check(likeIt, false, null);
        }
        return changed(call, job.id(), call.muster().jobs().reprioritise(job.id(), priority));
    }

    private static Answer changed(Call call, JobId id, boolean done) {
        if (!done) {
            throw Refusal.unchanged("job " + id + " cannot be changed: it has ended, or a node has claimed it");
        }
        return Answer.of(AfterChange.read(call, () -> Tenancy.of(call).document(Tenancy.job(call, id)), "id", id));
    }
}
