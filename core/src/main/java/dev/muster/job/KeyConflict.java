package dev.muster.job;

/**
 * The idempotency key belongs to a job with other arguments, to a run with another input or to a graph with other tasks, or to one that cannot
 * be compared. Nothing was written.
 */
public final class KeyConflict extends InvalidJob {
    private static final long serialVersionUID = 1L;
    private final transient JobId existing;

    public KeyConflict(String name, String key, JobId existing) {
        super("key '" + key + "' of job '" + name + "' already stands for job " + existing
                + " with other arguments; use another key, or the same arguments");
        this.existing = existing;
    }

    /** For the case that this process cannot tell whether the arguments are the same. */
    public KeyConflict(String name, String key, JobId existing, UnreadablePayload why) {
        super(
                "key '" + key + "' of job '" + name + "' already stands for job " + existing
                        + ", whose arguments cannot be compared here: they were encrypted with key '" + why.keyId()
                        + "'; add it to encryption.keys",
                why);
        this.existing = existing;
    }

    /** For the case that another process found it. */
    public KeyConflict(String message, JobId existing) {
        super(message);
        this.existing = existing;
    }

    /** For runs and graphs. */
    public KeyConflict(String message, JobId existing, UnreadablePayload why) {
        super(message, why);
        this.existing = existing;
    }

    /** The job, run or graph that holds the key. */
    public JobId existing() {
        return existing;
    }
}
