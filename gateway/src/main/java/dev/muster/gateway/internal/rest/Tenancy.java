package dev.muster.gateway.internal.rest;

import dev.muster.document.internal.AttemptDocument;
import dev.muster.document.internal.JobDocument;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.job.store.TenantKey;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a caller that belongs to a tenant sees of jobs: those whose metadata has {@code tenant} with the caller's tenant. Jobs that it
 * enqueues get that. Metadata never changes, so a job that was checked stays the tenant's.
 *
 * <p>Its keys are its own because the store keeps those of each tenant apart ({@link TenantKey}); nothing here has to.
 */
final class Tenancy {
    /** As many as one job may depend on. */
    private static final int MOST_PARENTS = 10_000;

    private final Call call;
    private final Optional<String> tenant;

    private Tenancy(Call call) {
        this.call = call;
        this.tenant = call.caller().tenant();
    }

    static Tenancy of(Call call) {
        return new Tenancy(call);
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
        return tenant.isEmpty() || tenant.get().equals(job.metadata().get(TenantKey.METADATA));
    }

    JobQuery confine(JobQuery query) {
        if (tenant.isEmpty()) {
            return query;
        }
        String asked = query.metadata().get(TenantKey.METADATA);
        if (asked != null && !asked.equals(tenant.get())) {
            throw Refusal.forbidden("you see only the jobs of the tenant " + tenant.get());
        }
        return query.metadata(TenantKey.METADATA, tenant.get());
    }

    /**
     * The requests as the caller may send them; whether the caller may start these jobs is decided when they are enqueued. Whether a tenant
     * owns the jobs that they depend on is asked once for all of them.
     */
    List<JobRequest> confine(List<JobRequest> given) {
        List<JobRequest> requests = given.stream()
                .map(request -> request.requestedBy(call.requester()))
                .toList();
        if (tenant.isEmpty()) {
            return requests;
        }
        List<JobRequest> confined = requests.stream().map(this::confine).toList();
        Set<JobId> parents = new LinkedHashSet<>();
        for (JobRequest request : requests) {
            parents.addAll(request.dependsOn());
            parents.addAll(request.dependsOnAnyOutcome());
            if (parents.size() > MOST_PARENTS) {
                throw Refusal.badRequest(
                        "depends_on: the jobs of one request depend on " + MOST_PARENTS + " different jobs at most");
            }
        }
        Set<JobId> own = own(parents);
        parents.stream().filter(parent -> !own.contains(parent)).findFirst().ifPresent(parent -> {
            throw Parameters.none("job", parent);
        });
        return confined;
    }

    private JobRequest confine(JobRequest request) {
        String asked = request.metadata().get(TenantKey.METADATA);
        if (asked != null && !asked.equals(tenant.orElseThrow())) {
            throw Refusal.forbidden("you enqueue only jobs of the tenant " + tenant.get());
        }
        if (request.batch().isPresent()) {
            throw Refusal.forbidden(
                    "batches belong to the cluster as a whole; you belong to the tenant " + tenant.orElseThrow());
        }
        if (request.id().isPresent()) {
            throw Refusal.forbidden("callers of a tenant cannot choose the ids of jobs");
        }
        return request.tenant(tenant.orElseThrow());
    }

    private Set<JobId> own(Collection<JobId> ids) {
        return ids.isEmpty() ? Set.of() : call.muster().api(NodeContext.class).jobsOf(tenant.orElseThrow(), ids);
    }

    /**
     * Retries a job.
     *
     * @param withDependents whether also those that were cancelled because of it; a tenant retries its own ones alone
     * @return how many were retried
     */
    int retry(JobInfo job, boolean withDependents) {
        if (tenant.isEmpty()) {
            return withDependents
                    ? call.muster().jobs().retryWithDependents(job.id())
                    : call.muster().jobs().retry(job.id()) ? 1 : 0;
        }
        try {
            return withDependents
                    ? call.muster().api(NodeContext.class).retryWithDependents(job.id(), tenant.get())
                    : call.muster().jobs().retry(job.id()) ? 1 : 0;
        } catch (InvalidJob | DatabaseUnavailable e) {
            throw e;
        } catch (MusterException e) {
            if (ownDependencies(job).size() < job.dependencies().size()) {
                throw Refusal.unchanged(
                        "job " + job.id() + " is not retried: a job that it depends on has not completed");
            }
            throw e;
        }
    }

    private List<Dependency> ownDependencies(JobInfo job) {
        Set<JobId> own = own(job.dependencies().stream().map(Dependency::id).collect(Collectors.toSet()));
        return job.dependencies().stream()
                .filter(dependency -> own.contains(dependency.id()))
                .toList();
    }

    /** The job as the caller sees it: a tenant learns nothing of nodes, of batches, and of jobs that are not its own. */
    Map<String, @Nullable Object> document(JobInfo job) {
        Map<String, @Nullable Object> document = JobDocument.write(job);
        if (tenant.isPresent()) {
            document.put("node", null);
            document.put("batch", null);
            document.put("waiting_reason", null);
            document.put("capability", TenantTexts.placement(job.capability()));
            document.put("error", TenantTexts.error(job.error()));
            document.put("earlier_error", TenantTexts.error(job.earlierError()));
            document.put("metadata", ownMetadata(job));
            if (!job.dependencies().isEmpty()) {
                document.put("dependencies", JobDocument.dependencies(ownDependencies(job)));
            }
        }
        return document;
    }

    private static @Nullable Object ownMetadata(JobInfo job) {
        Map<String, String> own = new LinkedHashMap<>(job.metadata());
        own.keySet().removeIf(name -> name.startsWith("muster."));
        return own.isEmpty() ? null : own;
    }

    /** An attempt as the caller sees it. */
    Map<String, @Nullable Object> document(JobAttempt attempt) {
        Map<String, @Nullable Object> document = AttemptDocument.write(attempt);
        if (tenant.isPresent()) {
            document.put("node", null);
            document.put("error", TenantTexts.error(attempt.error()));
        }
        return document;
    }
}
