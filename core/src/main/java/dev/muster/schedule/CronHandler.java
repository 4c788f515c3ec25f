package dev.muster.schedule;

import dev.muster.job.JobHandler;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.ConnectionSource;

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
        String queue = definition.queue() == null ? "default" : definition.queue();
        String capability = definition.capability() == null ? "" : definition.capability();
        return new JobHandler(
                definition.job(),
                new Lane(queue, capability),
                definition.priority() == null ? Priority.NORMAL : definition.priority(),
                retry,
                definition.timeout(),
                null,
                (context, args) -> {
                    body.run(new TickContext(context, connections));
                    return null;
                });
    }
}
