package dev.muster.job;

/** An idempotency key that stands for a job with other arguments. Nothing was written. */
public final class KeyConflict extends InvalidJob {
    private static final long serialVersionUID = 1L;
    private final transient JobId existing;

    public KeyConflict(String name, String key, JobId existing) {
        super("key '" + key + "' of job '" + name + "' already stands for job " + existing
                + " with other arguments; use another key, or the same arguments");
        this.existing = existing;
    }

    /** The job that holds the key. */
    public JobId existing() {
        return existing;
    }
}
