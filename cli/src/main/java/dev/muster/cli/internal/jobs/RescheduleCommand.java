package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JobDocument;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes the due time of a job that no node has claimed. */
@Command(
        name = "reschedule",
        description = "Change the due time of a job that no node has claimed. --delay 0s makes it due now.")
final class RescheduleCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = Values.OfJobId.class, description = "The job's id.")
    private JobId id;

    @Option(
            names = "--delay",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "Due this long from now, such as 30s or 1h30m.")
    private @Nullable Duration delay;

    @Option(
            names = "--in",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            hidden = true,
            description = "The same as --delay.")
    private @Nullable Duration in;

    @Option(names = "--at", paramLabel = "T", description = "Due at this time, such as 2030-01-31T08:00:00Z.")
    private @Nullable String at;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        if (Stream.of(delay, in, at).filter(Objects::nonNull).count() != 1) {
            throw CommandFailed.badInput("when is it due? Give either --delay or --at");
        }
        Duration fromNow = delay == null ? in : delay;
        var instant = at == null ? null : Values.instant("--at", at);
        try (Session session = Session.open(settings)) {
            JobInfo job = session.audited(
                    "jobs.reschedule",
                    id.toString(),
                    Map.of("to", String.valueOf(instant == null ? fromNow : instant)),
                    () -> Unclaimed.require(
                            session.jobs(),
                            id,
                            instant == null
                                    ? session.jobs().reschedule(id, fromNow)
                                    : session.jobs().reschedule(id, instant),
                            "rescheduled"));
            output.print(() -> JobDocument.inList(job), () -> "rescheduled " + id + ", due at " + job.runAt());
        }
        return ExitCode.DONE;
    }
}
