package dev.muster.job;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues jobs. */
public interface Enqueuer {

    /**
     * Enqueues and returns the job's id, or the id of the job that already holds the request's key.
     *
     * @throws InvalidJob if the request is refused; nothing was written
     */
    default JobId enqueue(JobRequest request) {
        return enqueueAll(List.of(request)).get(0);
    }

    default JobId enqueue(String name, @Nullable Object args) {
        return enqueue(JobRequest.of(name, args));
    }

    default <A> JobId enqueue(JobType<A, ?> type, A args) {
        return enqueue(JobRequest.of(type, args));
    }

    /** Enqueues all jobs or none, in one statement. Returns the ids in the order of the requests. */
    List<JobId> enqueueAll(Collection<JobRequest> requests);

    /**
     * Enqueues like {@link #enqueue(JobRequest)}, and returns whether that created the job or found one with the request's key
     * or id.
     *
     * @throws InvalidJob if the request is refused; nothing was written
     */
    default Enqueued submit(JobRequest request) {
        return submitAll(List.of(request)).get(0);
    }

    /** Enqueues like {@link #enqueueAll}, and returns for each request whether it created its job. */
    List<Enqueued> submitAll(Collection<JobRequest> requests);
}
