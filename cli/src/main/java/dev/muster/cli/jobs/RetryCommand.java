package dev.muster.cli.jobs;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.CommandFailed;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Gives an ended job another chance. */
@Command(name = "retry", description = "Put a failed, cancelled or expired job back in line, all attempts ahead of it.")
final class RetryCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = Values.OfJobId.class, description = "The job's id.")
    private JobId id;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings.load())) {
            boolean retried = session.jobs().retry(id);
            JobInfo job = session.jobs().find(id).orElseThrow(() -> CommandFailed.failed("there is no job " + id));
            if (!retried) {
                throw CommandFailed.failed("job " + id + " is " + job.status().text()
                        + "; only a failed, cancelled or expired one can be retried");
            }
            output.print(() -> JobJson.of(job), () -> "back in line: " + id);
        }
        return ExitCode.DONE;
    }
}
