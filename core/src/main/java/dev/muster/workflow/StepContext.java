package dev.muster.workflow;

import dev.muster.job.JobId;

/** What a step's code knows about its attempt. */
public interface StepContext {

    JobId runId();

    /** The attempt, counted from 1. */
    int attempt();

    /**
     * The same for all attempts of this step of this run, also after a retry of the run, and different for any other step: hand it to systems
     * that take an idempotency key.
     *
     * <p>A step is known by its position in the code and its name. A retry of a run forgets what the code did after the step that failed, and another
     * step may then stand where one stood that has run: so give steps that do different things different names.
     */
    String idempotencyKey();
}
