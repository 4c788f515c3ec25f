package dev.muster.internal.schedule;

import dev.muster.internal.runtime.ConnectionSource;
import dev.muster.job.JobHandler;
import dev.muster.job.JobOptions;
import dev.muster.job.RetryPolicy;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.InvalidCron;

/** A method with a {@link Cron} annotation, and the annotation's values. */
public record CronHandler(CronDefinition definition, RetryPolicy retry, Body body) {

    /** @throws InvalidCron if the cron never ticks, or its expression or zone is wrong */
    public CronHandler {
        definition.schedule();
    }

    /** The user's code. */
    @FunctionalInterface
    public interface Body {
        void run(CronContext context) throws Exception;
    }

    /** The handler of the cron's jobs. */
    public JobHandler job(ConnectionSource connections) {
        JobOptions options = definition.options().orElse(JobOptions.DEFAULTS);
        return new JobHandler(
                definition.job(),
                options.lane(),
                options.priority(),
                retry,
                options.timeout(),
                null,
                (context, args) -> {
                    body.run(new TickContext(context, connections));
                    return null;
                });
    }
}
