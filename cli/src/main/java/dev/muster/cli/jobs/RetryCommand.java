package dev.muster.cli.jobs;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.CommandFailed;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.Json;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.Jobs;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Gives an ended job, or many, another chance. */
@Command(
        name = "retry",
        description = "Put a failed, cancelled or expired job, or with --all many, back in line, all attempts ahead.")
final class RetryCommand implements Callable<Integer> {
    @Mixin
    private TargetOptions target;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        Optional<JobId> id = target.id();
        JobQuery query = target.query();
        try (Session session = Session.open(settings.load())) {
            id.ifPresentOrElse(one -> retry(session.jobs(), one), () -> retryAll(session.jobs(), query));
        }
        return ExitCode.DONE;
    }

    private void retryAll(Jobs jobs, JobQuery query) {
        int retried = jobs.retryAll(query);
        output.print(() -> Json.object().put("retried", retried), () -> "back in line: " + retried);
    }

    private void retry(Jobs jobs, JobId id) {
        boolean retried = jobs.retry(id);
        JobInfo job = jobs.find(id).orElseThrow(() -> CommandFailed.failed("there is no job " + id));
        if (!retried) {
            throw CommandFailed.failed("job " + id + " is " + job.status().text()
                    + "; only a failed, cancelled or expired one can be retried");
        }
        output.print(() -> JobJson.of(job), () -> "back in line: " + id);
    }
}
