package dev.muster.workflow;

import dev.muster.job.JobId;

/** What a step's code knows about its attempt. */
public interface StepContext {

    JobId runId();

    /** The attempt, counted from 1. */
    int attempt();

    /**
     * The same for all attempts of this step of this run, and different for any other step: hand it to systems that take an idempotency
     * key.
     */
    String idempotencyKey();
}
