package dev.muster.schedule;

import dev.muster.internal.runtime.Names;
import dev.muster.job.JobRequest;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A cron to be created at run time. Immutable: each method returns a changed copy.
 *
 * <pre>{@code
 * muster.crons().create(CronSpec.of("acme_invoices", "0 6 * * MON", JobRequest.of("send_invoices", new Tenant("acme")))
 *         .zone(ZoneId.of("Europe/Berlin")));
 * }</pre>
 */
public final class CronSpec {
    private final String name;
    private final String expression;
    private final JobRequest job;
    private final ZoneId zone;
    private final Misfire misfire;
    private final int catchUpLimit;
    private final Overlap overlap;
    private final Duration jitter;

    private CronSpec(
            String name,
            String expression,
            JobRequest job,
            ZoneId zone,
            Misfire misfire,
            int catchUpLimit,
            Overlap overlap,
            Duration jitter) {
        Names.require("cron name", name);
        if (job.id().isPresent()
                || job.key().isPresent()
                || job.at().isPresent()
                || job.delay().isPresent()
                || job.expiresAt().isPresent()
                || job.expiresIn().isPresent()
                || !job.dependsOn().isEmpty()
                || !job.dependsOnAnyOutcome().isEmpty()
                || !job.tags().isEmpty()
                || !job.metadata().isEmpty()
                || job.batch().isPresent()
                || job.namesGroup()
                || job.trace().isPresent()) {
            throw new InvalidCron("cron '" + name + "': its job takes args, queue, capability, priority, maxAttempts,"
                    + " maxCrashes and timeout; ids, keys of any kind, times, dependencies, batches, traces, tags and metadata belong to"
                    + " single jobs");
        }
        if (misfire == Misfire.UNKNOWN || overlap == Overlap.UNKNOWN) {
            throw new InvalidCron("cron '" + name + "': UNKNOWN is no "
                    + (misfire == Misfire.UNKNOWN ? "misfire policy" : "overlap policy") + " to choose");
        }
        Schedule.parse(expression, zone);
        this.name = name;
        this.expression = expression;
        this.job = job;
        this.zone = zone;
        this.misfire = misfire;
        this.catchUpLimit = catchUpLimit;
        this.overlap = overlap;
        this.jitter = jitter;
    }

    /** A cron in UTC whose missed ticks fire once, whose runs may overlap, and without jitter. */
    public static CronSpec of(String name, String expression, JobRequest job) {
        return new CronSpec(name, expression, job, ZoneOffset.UTC, Misfire.FIRE_ONCE, 10, Overlap.ALLOW, Duration.ZERO);
    }

    public CronSpec expression(String expression) {
        return new CronSpec(name, expression, job, zone, misfire, catchUpLimit, overlap, jitter);
    }

    /**
     * What each tick enqueues: the name and args of the job and, if set, its queue, capability, priority, attempts and timeout. A node that
     * runs it needs a handler with that name.
     */
    public CronSpec job(JobRequest job) {
        return new CronSpec(name, expression, job, zone, misfire, catchUpLimit, overlap, jitter);
    }

    public CronSpec zone(ZoneId zone) {
        return new CronSpec(name, expression, job, zone, misfire, catchUpLimit, overlap, jitter);
    }

    public CronSpec misfire(Misfire misfire) {
        return new CronSpec(name, expression, job, zone, misfire, catchUpLimit, overlap, jitter);
    }

    /** After an interruption, the last missed ticks fire, at most {@code limit} of them, 1 to 1000. */
    public CronSpec catchUp(int limit) {
        return new CronSpec(name, expression, job, zone, Misfire.CATCH_UP, limit, overlap, jitter);
    }

    public CronSpec overlap(Overlap overlap) {
        return new CronSpec(name, expression, job, zone, misfire, catchUpLimit, overlap, jitter);
    }

    /** A job becomes due up to this long after its tick, 0s to 1d. */
    public CronSpec jitter(Duration jitter) {
        return new CronSpec(name, expression, job, zone, misfire, catchUpLimit, overlap, jitter);
    }

    public String name() {
        return name;
    }

    public String expression() {
        return expression;
    }

    public JobRequest job() {
        return job;
    }

    public ZoneId zone() {
        return zone;
    }

    public Misfire misfire() {
        return misfire;
    }

    /** How many missed ticks {@link Misfire#CATCH_UP} fires at most. */
    public int catchUpLimit() {
        return catchUpLimit;
    }

    public Overlap overlap() {
        return overlap;
    }

    public Duration jitter() {
        return jitter;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CronSpec that
                && name.equals(that.name)
                && expression.equals(that.expression)
                && job.equals(that.job)
                && zone.equals(that.zone)
                && misfire.equals(that.misfire)
                && catchUpLimit == that.catchUpLimit
                && overlap.equals(that.overlap)
                && jitter.equals(that.jitter);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, expression, job, zone, misfire, catchUpLimit, overlap, jitter);
    }

    @Override
    public String toString() {
        return "CronSpec[name=" + name + ", expression=" + expression + ", job=" + job + ", zone=" + zone + ", misfire="
                + misfire + ", catchUpLimit=" + catchUpLimit + ", overlap=" + overlap + ", jitter=" + jitter + "]";
    }
}
