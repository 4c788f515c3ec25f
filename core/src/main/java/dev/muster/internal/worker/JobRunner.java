package dev.muster.internal.worker;

/** Runs claimed jobs, each on the thread that calls it. */
interface JobRunner {
    /** Runs the handler of a claim and queues the outcome. */
    void run(OpenClaim claim);

    /** Queues an outcome for a claim whose run failed outside its handler. */
    void broken(OpenClaim claim, Throwable cause);

    /**
     * Returns a job into its queue that was not started.
     *
     * @param why why it waits for a while before it is tried again
     */
    void notRun(OpenClaim claim, String why);
}
