package dev.muster.job;

import dev.muster.internal.runtime.Plural;
import dev.muster.runtime.OutcomeUnknown;
import java.util.List;

/** The connection broke during the commit of an enqueue, and the database cannot be asked whether it was committed. */
public final class EnqueueOutcomeUnknown extends OutcomeUnknown {
    private static final long serialVersionUID = 1L;
    private final transient List<JobId> ids;

    public EnqueueOutcomeUnknown(List<JobId> ids, Throwable cause) {
        super(
                "the connection broke during the commit: " + Plural.of(ids.size(), "job")
                        + " may or may not have been enqueued; repeat the same requests with their key or with"
                        + " id(…) set to these ids, which cannot create a second job",
                ids.stream().map(JobId::toString).toList(),
                cause);
        this.ids = List.copyOf(ids);
    }

    /** The ids that the jobs have if they were enqueued, in the order of the requests. */
    public List<JobId> ids() {
        return ids;
    }
}
