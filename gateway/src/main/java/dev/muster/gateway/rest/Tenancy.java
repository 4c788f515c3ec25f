package dev.muster.gateway.rest;

import dev.muster.document.AttemptDocument;
import dev.muster.document.JobDocument;
import dev.muster.gateway.route.Call;
import dev.muster.gateway.route.Refusal;
import dev.muster.job.Enqueued;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a caller that belongs to a tenant sees of jobs: those whose metadata has {@code tenant} with the caller's tenant. Jobs that it
 * enqueues get that. Metadata never changes, so a job that was checked stays the tenant's.
 *
 * <p>A tenant's idempotency keys are its own: they are stored with the tenant before them, in which {@code /} is escaped. Otherwise the key
 * {@code b/c} of the tenant {@code a} would be the key {@code c} of the tenant {@code a/b}.
 */
final class Tenancy {
    static final String METADATA = "tenant";

    /** How metadata of Muster's own begins, which a tenant does not see. */
    private static final String ENGINE = "muster.";

    private final Optional<String> tenant;

    private Tenancy(Optional<String> tenant) {
        this.tenant = tenant;
    }

    static Tenancy of(Call call) {
        return new Tenancy(call.caller().tenant());
    }

    /** The job, if the caller may see it. */
    static JobInfo job(Call call, JobId id) {
        return call.muster()
                .jobs()
                .find(id)
                .filter(Tenancy.of(call)::owns)
                .orElseThrow(() -> Parameters.none("job", id));
    }

    boolean owns(JobInfo job) {
        return tenant.isEmpty() || tenant.get().equals(job.metadata().get(METADATA));
    }

    JobQuery confine(JobQuery query) {
        if (tenant.isEmpty()) {
            return query;
        }
        String asked = query.metadata().get(METADATA);
        if (asked != null && !asked.equals(tenant.get())) {
            throw Refusal.forbidden("you see only the jobs of the tenant " + tenant.get());
        }
        JobQuery own = query.metadata(METADATA, tenant.get());
        return query.key().map(key -> own.key(storedKey(key))).orElse(own);
    }

    /** The request as the caller may send it; whether the caller may start this job is decided when it is enqueued. */
    JobRequest confine(Call call, JobRequest given) {
        JobRequest request = given.requestedBy(call.requester());
        if (tenant.isEmpty()) {
            return request;
        }
        String asked = request.metadata().get(METADATA);
        if (asked != null && !asked.equals(tenant.get())) {
            throw Refusal.forbidden("you enqueue only jobs of the tenant " + tenant.get());
        }
        if (request.batch().isPresent()) {
            throw Refusal.forbidden(
                    "batches belong to the cluster as a whole; you belong to the tenant " + tenant.get());
        }
        if (request.id().isPresent()) {
            throw Refusal.forbidden("callers of a tenant cannot choose the ids of jobs");
        }
        Set<JobId> parents = new LinkedHashSet<>(request.dependsOn());
        parents.addAll(request.dependsOnAnyOutcome());
        parents.forEach(parent -> job(call, parent));
        JobRequest own = request.metadata(METADATA, tenant.get());
        return request.key().map(key -> own.key(storedKey(key))).orElse(own);
    }

    private String storedKey(String key) {
        return tenant.map(name -> prefix(name) + key).orElse(key);
    }

    private static String prefix(String tenant) {
        return tenant.replace("%", "%25").replace("/", "%2F") + "/";
    }

    /** Enqueues requests that were {@linkplain #confine confined}, all or none. */
    List<Enqueued> submit(Call call, List<JobRequest> requests) {
        boolean keyed = requests.stream().anyMatch(request -> request.key().isPresent());
        return tenant.isPresent() && keyed
                ? KeyedJobs.submit(call, requests)
                : call.muster().jobs().submitAll(requests);
    }

    /** The job as the caller sees it: a tenant learns nothing of nodes, and of its keys what it has sent. */
    Map<String, @Nullable Object> document(JobInfo job) {
        Map<String, @Nullable Object> document = JobDocument.write(job);
        tenant.ifPresent(name -> {
            document.put("node", null);
            document.put("waiting_reason", null);
            Map<String, String> metadata = new TreeMap<>(job.metadata());
            metadata.keySet().removeIf(key -> key.startsWith(ENGINE));
            document.put("metadata", metadata);
            document.put(
                    "key",
                    job.key()
                            .map(key -> key.startsWith(prefix(name))
                                    ? key.substring(prefix(name).length())
                                    : key)
                            .orElse(null));
        });
        return document;
    }

    /** An attempt as the caller sees it. */
    Map<String, @Nullable Object> document(JobAttempt attempt) {
        Map<String, @Nullable Object> document = AttemptDocument.write(attempt);
        if (tenant.isPresent()) {
            document.put("node", null);
        }
        return document;
    }
}
