package dev.muster.job;

/** Whoever asked over HTTP may not ask for this job, or not for this option of it. Nothing was written. */
public final class JobNotAllowed extends InvalidJob {
    private static final long serialVersionUID = 1L;

    public JobNotAllowed(String message) {
        super(message);
    }
}
