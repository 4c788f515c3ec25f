package dev.muster.bench.peers.jobrunr;

import dev.muster.bench.contender.Payload;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jspecify.annotations.Nullable;

/** What is to be done, as JobRunr stores it. */
public final class Confirmation implements JobRequest {
    private static final long serialVersionUID = 1L;

    private int order;
    private @Nullable String email;
    private @Nullable String kind;
    private @Nullable String note;

    /** For JobRunr to fill. */
    Confirmation() {}

    Confirmation(Payload payload) {
        this.order = payload.order();
        this.email = payload.email();
        this.kind = payload.kind();
        this.note = payload.note();
    }

    @Override
    public Class<ConfirmationHandler> getJobRequestHandler() {
        return ConfirmationHandler.class;
    }

    @Override
    public String toString() {
        return kind + " " + order + " to " + email + " " + note;
    }
}
