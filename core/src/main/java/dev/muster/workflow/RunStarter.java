package dev.muster.workflow;

import dev.muster.job.JobId;
import dev.muster.runtime.Writes;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts runs, in a transaction of Muster or in the one that it was made for. */
public interface RunStarter {

    /**
     * Starts a run and returns its id, or the id of the run that already holds the request's key.
     *
     * @throws dev.muster.job.KeyConflict if the run that holds the key was started with another input; nothing was written
     * @throws dev.muster.runtime.MusterException if neither a live node nor this process has the workflow in the version asked for, or
     *     this version takes no new runs; nothing was written
     */
    @Writes("start workflows")
    default JobId start(RunRequest request) {
        return startAll(List.of(request)).get(0);
    }

    @Writes("start workflows")
    default JobId start(String workflow, @Nullable Object input) {
        return start(RunRequest.of(workflow, input));
    }

    @Writes("start workflows")
    default <I> JobId start(WorkflowType<I, ?> type, @Nullable I input) {
        return start(RunRequest.of(type, input));
    }

    /** Starts all runs or none. Returns the ids in the order of the requests. */
    @Writes("start workflows")
    List<JobId> startAll(Collection<RunRequest> requests);
}
