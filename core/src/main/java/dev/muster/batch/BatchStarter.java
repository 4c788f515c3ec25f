package dev.muster.batch;

import dev.muster.job.BatchId;
import dev.muster.job.JobRequest;
import dev.muster.runtime.Writes;
import java.util.Collection;

/** Creates batches, in a transaction of Muster or in the one that it was made for. */
public interface BatchStarter {

    /**
     * Creates a batch, to which {@link JobRequest#batch} adds jobs. Creating one whose id exists changes nothing.
     *
     * @throws dev.muster.job.InvalidJob if its completion job, or the job that decides, cannot be enqueued
     */
    @Writes("create batches")
    BatchId create(BatchRequest request);

    /**
     * Creates a batch, enqueues these jobs in it and seals it, in one transaction. Without jobs it closes at once. If there is a sealed
     * batch with the request's id, nothing changes: so a call may be repeated, and adds its jobs once.
     *
     * @throws dev.muster.job.InvalidJob if a job cannot be enqueued, or {@link #create} has made a batch with this id that is not sealed
     */
    @Writes("create batches")
    BatchId fanOut(BatchRequest request, Collection<JobRequest> jobs);
}
