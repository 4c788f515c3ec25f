package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JobDocument;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Priority;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes the priority of a job that no node has claimed. */
@Command(
        name = "reprioritise",
        description =
                "Change the priority of a job that no node has claimed. Among due jobs of that priority it comes last.")
final class ReprioritiseCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = Values.OfJobId.class, description = "The job's id.")
    private JobId id;

    @Option(
            names = "--priority",
            paramLabel = "P",
            required = true,
            converter = Values.OfPriority.class,
            description = "background, low, normal, high or critical.")
    private Priority priority;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings)) {
            JobInfo job = session.audited(
                    "jobs.reprioritise",
                    id.toString(),
                    Map.of("priority", priority.name().toLowerCase(Locale.ROOT)),
                    () -> Unclaimed.require(
                            session.jobs(), id, session.jobs().reprioritise(id, priority), "given another priority"));
            output.print(
                    () -> JobDocument.inList(job),
                    () -> "priority of " + id + " is now "
                            + job.priority().name().toLowerCase(Locale.ROOT));
        }
        return ExitCode.DONE;
    }
}
