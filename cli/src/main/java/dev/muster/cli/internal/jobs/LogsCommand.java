package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.Listing;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.job.JobId;
import dev.muster.job.Jobs;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints what a job's handler logged. */
@Command(name = "logs", description = "Print what a job's handler logged, oldest line first.")
final class LogsCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = Values.OfJobId.class, description = "The job's id.")
    private JobId id;

    @Option(
            names = {"-f", "--follow"},
            description = "Print new lines until the job has ended.")
    private boolean follow;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() throws InterruptedException {
        try (Session session = Session.toRead(settings)) {
            Jobs jobs = session.jobs();
            if (jobs.find(id).isEmpty()) {
                throw CommandFailed.failed("there is no job " + id);
            }
            int printed = print(jobs);
            if (printed == 0 && !output.json()) {
                output.say("job " + id + " has logged nothing");
            }
        }
        return ExitCode.DONE;
    }

    private int print(Jobs jobs) throws InterruptedException {
        try (Listing listing = output.listing()) {
            LogTail tail = new LogTail(jobs, id, listing);
            if (follow) {
                tail.follow();
            } else {
                tail.read();
            }
            return listing.size();
        }
    }
}
