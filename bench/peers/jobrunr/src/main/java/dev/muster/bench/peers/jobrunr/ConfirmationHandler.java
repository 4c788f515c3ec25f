package dev.muster.bench.peers.jobrunr;

import dev.muster.bench.contender.Handled;
import org.jobrunr.jobs.annotations.Job;
import org.jobrunr.jobs.lambdas.JobRequestHandler;

/** The handler: takes its request and does nothing. */
public final class ConfirmationHandler implements JobRequestHandler<Confirmation> {
    private final Handled handled;

    ConfirmationHandler(Handled handled) {
        this.handled = handled;
    }

    @Override
    @Job(name = "send-confirmation")
    public void run(Confirmation confirmation) {
        handled.one();
    }
}
