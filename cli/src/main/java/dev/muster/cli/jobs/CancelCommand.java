package dev.muster.cli.jobs;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.CommandFailed;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Cancels a job. */
@Command(name = "cancel", description = "Cancel a job: at once if no node has it, else its node is told to stop it.")
final class CancelCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = Values.OfJobId.class, description = "The job's id.")
    private JobId id;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.open(settings.load())) {
            String done = cancel(session.jobs());
            JobInfo job = session.jobs().find(id).orElseThrow(() -> CommandFailed.failed("there is no job " + id));
            output.print(() -> JobJson.of(job), () -> done);
        }
        return ExitCode.DONE;
    }

    private String cancel(Jobs jobs) {
        return switch (jobs.cancel(id)) {
            case CANCELLED -> "cancelled " + id;
            case REQUESTED -> "told the node of " + id + " to stop it";
            case COMPLETING -> throw CommandFailed.failed("job " + id + " is committing its completion; too late");
            case ALREADY_ENDED -> throw CommandFailed.failed("job " + id + " has ended already: " + status(jobs));
            case NOT_FOUND -> throw CommandFailed.failed("there is no job " + id);
        };
    }

    private String status(Jobs jobs) {
        return jobs.find(id).map(job -> job.status().text()).orElse("gone");
    }
}
