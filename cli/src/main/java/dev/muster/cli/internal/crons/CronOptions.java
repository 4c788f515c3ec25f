package dev.muster.cli.internal.crons;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.ArgsText;
import dev.muster.cli.internal.jobs.RunOptions;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.internal.config.Nearest;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.RawJson;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Crons;
import dev.muster.schedule.InvalidCron;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that define a cron. An option that is not given keeps the cron's current value, or the default. */
final class CronOptions {
    @Option(
            names = "--expression",
            paramLabel = "E",
            description = "When it ticks: '0 6 * * MON', '@daily', '@every 30s'.")
    private @Nullable String expression;

    @Option(
            names = "--zone",
            paramLabel = "Z",
            description = "Time zone of the expression, such as Europe/Berlin. Default: UTC.")
    private @Nullable String zone;

    @Option(names = "--job", paramLabel = "JOB", description = "The name of the job that each tick enqueues.")
    private @Nullable String job;

    @Option(
            names = "--args",
            paramLabel = "JSON",
            description = "The job's arguments as JSON; @FILE reads them from a file, - from standard input.")
    private @Nullable String args;

    @Mixin
    private RunOptions run = new RunOptions();

    @Option(
            names = "--misfire",
            paramLabel = "M",
            description = "What happens to missed ticks: skip, fire_once (the default) or catch_up.")
    private @Nullable Misfire misfire;

    @Option(
            names = "--catch-up-limit",
            paramLabel = "N",
            description = "How many missed ticks catch_up fires at most, 1 to 1000.")
    private @Nullable Integer catchUpLimit;

    @Option(
            names = "--overlap",
            paramLabel = "O",
            description = "Whether a tick fires while an earlier job has not ended: allow (the default) or skip.")
    private @Nullable Overlap overlap;

    @Option(
            names = "--jitter",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "Jobs become due up to this long after their tick, 0s to 1d.")
    private @Nullable Duration jitter;

    /** A hint if no live node can run the job. */
    List<String> unknownJob(Session session) {
        if (job == null) {
            return List.of();
        }
        Set<String> known = session.admin().handlers().keySet();
        return known.contains(job)
                ? List.of()
                : List.of("no live node has a handler for job '" + job + "': its jobs wait until one has"
                        + Nearest.suggestion(job, known));
    }

    CronSpec create(String name) {
        if (expression == null || job == null) {
            throw CommandFailed.badInput("a new cron needs --expression and --job");
        }
        return checked(() -> changed(
                CronSpec.of(name, expression, request(job, args == null ? new RawJson("null") : ArgsText.read(args)))));
    }

    void requireAny() {
        if (isEmpty()) {
            throw CommandFailed.badInput(
                    "nothing to change: give --expression, --zone, --job, --args or another option");
        }
    }

    /** The existing cron, changed by the given options. */
    CronSpec update(Crons crons, String name) {
        CronSpec cron = (args == null ? crons.spec(name) : crons.find(name).map(this::withNewArgs))
                .orElseThrow(() -> InvalidCron.noSuchCron(name, crons.list()));
        return checked(() -> changed(expression == null ? cron : cron.expression(expression)));
    }

    /** Does not read the old args, because they may be encrypted with a key that is gone. */
    private CronSpec withNewArgs(CronInfo cron) {
        CronDefinition old = cron.definition();
        JobRequest request = request(old.job(), ArgsText.read(args)).options(old.options());
        return CronSpec.of(old.name(), old.expression(), request)
                .zone(old.zoneId())
                .catchUp(old.catchUpLimit())
                .misfire(old.misfire())
                .overlap(old.overlap())
                .jitter(old.jitter());
    }

    private boolean isEmpty() {
        return expression == null
                && zone == null
                && job == null
                && args == null
                && run.isEmpty()
                && misfire == null
                && catchUpLimit == null
                && overlap == null
                && jitter == null;
    }

    /** Turns an invalid cron into an error about the command's input. */
    private static CronSpec checked(Supplier<CronSpec> spec) {
        try {
            return spec.get();
        } catch (InvalidCron e) {
            throw CommandFailed.badInput(e.getMessage(), e);
        }
    }

    private CronSpec changed(CronSpec before) {
        CronSpec cron = zone == null ? before : before.zone(zoneId(zone));
        cron = misfire == null ? cron : cron.misfire(misfire);
        if (catchUpLimit != null) {
            if (cron.misfire() != Misfire.CATCH_UP) {
                throw CommandFailed.badInput("--catch-up-limit needs --misfire catch_up");
            }
            cron = cron.catchUp(catchUpLimit);
        }
        cron = overlap == null ? cron : cron.overlap(overlap);
        cron = jitter == null ? cron : cron.jitter(jitter);
        return cron.job(changed(cron.job()));
    }

    private JobRequest changed(JobRequest before) {
        JobRequest request = job == null || job.equals(before.name()) ? before : renamed(before, job);
        return request.options(run.given());
    }

    /** The same job with another name. */
    private static JobRequest renamed(JobRequest before, String name) {
        return request(name, (RawJson) before.args().orElseThrow()).options(before.options());
    }

    /** The request names a type, so that the cron can be created while no node with its handler is up. */
    private static JobRequest request(String job, RawJson args) {
        return JobRequest.of(JobType.of(job, RawJson.class, Object.class), args);
    }

    private static ZoneId zoneId(String zone) {
        try {
            return ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw CommandFailed.badInput(
                    "--zone: there is no time zone '" + zone + "'; allowed are UTC and names such as Europe/Berlin", e);
        }
    }
}
