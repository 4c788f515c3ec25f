package dev.muster.job;

import dev.muster.runtime.Writes;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Enqueues jobs, in a transaction of Muster or in the one that it was made for. */
public interface Enqueuer {

    /**
     * Enqueues and returns the job's id, or the id of the job that already holds the request's key.
     *
     * @throws InvalidJob if the request is refused; nothing was written
     */
    @Writes("enqueue jobs")
    default JobId enqueue(JobRequest request) {
        return enqueueAll(List.of(request)).get(0);
    }

    @Writes("enqueue jobs")
    default JobId enqueue(String name, @Nullable Object args) {
        return enqueue(JobRequest.of(name, args));
    }

    @Writes("enqueue jobs")
    default <A> JobId enqueue(JobType<A, ?> type, A args) {
        return enqueue(JobRequest.of(type, args));
    }

    /** Enqueues all jobs or none, in one statement. Returns the ids in the order of the requests. */
    @Writes("enqueue jobs")
    List<JobId> enqueueAll(Collection<JobRequest> requests);

    /**
     * Enqueues like {@link #enqueue(JobRequest)}, and returns whether that created the job or found one with the request's key
     * or id.
     *
     * @throws InvalidJob if the request is refused; nothing was written
     */
    @Writes("enqueue jobs")
    default Enqueued submit(JobRequest request) {
        return submitAll(List.of(request)).get(0);
    }

    /** Enqueues like {@link #enqueueAll}, and returns for each request whether it created its job. */
    @Writes("enqueue jobs")
    List<Enqueued> submitAll(Collection<JobRequest> requests);
}
