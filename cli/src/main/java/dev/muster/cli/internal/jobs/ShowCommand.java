package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.AttemptDocument;
import dev.muster.document.internal.JobDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one job. */
@Command(name = "show", description = "Show all details of a job, and how each of its attempts ended.")
final class ShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = Values.OfJobId.class, description = "The job's id.")
    private JobId id;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            JobInfo job = session.jobs().find(id).orElseThrow(() -> CommandFailed.failed("there is no job " + id));
            List<JobAttempt> attempts = session.jobs().attempts(id);
            output.print(
                    () -> JsonObjectWriter.of(JobDocument.write(job))
                            .put("attempts", AttemptDocument.write(attempts))
                            .done(),
                    () -> JobText.details(job, unsetTimeout(session, job)) + AttemptText.of(attempts));
        }
        return ExitCode.DONE;
    }

    private static String unsetTimeout(Session session, JobInfo job) {
        return job.timeout().isPresent()
                ? ""
                : JobText.timeoutOf(session.admin().handlers().get(job.name()));
    }
}
