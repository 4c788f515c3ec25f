package dev.muster.job;

/** A claimed job that a {@link JobExecutor} has to run. */
public interface JobTask {

    JobId job();

    /** The name of the job. */
    String name();

    /** Which attempt this is, from 1. */
    int attempt();

    /**
     * Runs the job to its end on the current thread, and returns normally however it ended. Returns at once if the job may no longer run,
     * because it was cancelled or waited too long for this call; and if it was called before.
     */
    void run();

    /**
     * Tells the handler to stop, and interrupts its thread: the executor can no longer run it. The job goes back into its queue and this
     * attempt does not count; if {@link #run()} was not called yet, the job waits there for a while. A job that may run only once fails if it
     * was started.
     */
    void interrupt();
}
