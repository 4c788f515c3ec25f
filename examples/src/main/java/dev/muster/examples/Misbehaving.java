package dev.muster.examples;

import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;

/** Jobs that do what jobs should not, to see what becomes of them. */
public final class Misbehaving {

    public record Flaky(int failures) {}

    public record Recovered(int attempts) {}

    /** Always fails. */
    @Job(value = "fail", backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "100ms"))
    void fail() {
        throw new IllegalStateException("this job always fails");
    }

    /** Fails this many times, then succeeds. */
    @Job(value = "flaky", maxAttempts = 10, backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "100ms"))
    Recovered flaky(JobContext ctx, Flaky args) {
        if (ctx.attempt() <= args.failures()) {
            throw new IllegalStateException("failure " + ctx.attempt() + " of " + args.failures());
        }
        return new Recovered(ctx.attempt());
    }

    /** Takes the whole JVM down. */
    @Job("crash")
    void crash() {
        Runtime.getRuntime().halt(137);
    }

    /** Ends the JVM in order, as if all were well. */
    @Job("exit")
    void exit() {
        System.exit(0);
    }

    /** Never returns, and ignores being told to. */
    @Job(
            value = "hang",
            maxAttempts = 2,
            timeout = "5s",
            backoff = @Backoff(kind = Backoff.Kind.FIXED, delay = "100ms"))
    void hang() {
        while (true) {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                // Exactly what a handler must not do.
                continue;
            }
        }
    }
}
