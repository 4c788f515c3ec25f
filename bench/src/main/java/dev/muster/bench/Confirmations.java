package dev.muster.bench;

import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.job.Job;

/** The handler: takes its arguments and does nothing. */
public final class Confirmations {
    private final Handled handled;

    Confirmations(Handled handled) {
        this.handled = handled;
    }

    @Job("send-confirmation")
    void send(Payload payload) {
        handled.one();
    }
}
