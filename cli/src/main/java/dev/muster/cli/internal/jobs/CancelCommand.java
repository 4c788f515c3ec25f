package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.CancellationDocument;
import dev.muster.document.internal.JobDocument;
import dev.muster.job.BulkCancellation;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.Jobs;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Cancels one job or many. */
@Command(
        name = "cancel",
        description = "Cancel a job, or many with --all. If a node has claimed the job, that node is told to stop it.")
final class CancelCommand implements Callable<Integer> {
    @Mixin
    private TargetOptions target;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        Optional<JobId> id = target.id("every job that has not ended", false);
        JobQuery query = target.query();
        try (Session session = Session.open(settings)) {
            id.ifPresentOrElse(one -> cancel(session, one), () -> cancelAll(session, query));
        }
        return ExitCode.DONE;
    }

    private void cancelAll(Session session, JobQuery query) {
        BulkCancellation done = session.audited(
                "jobs.cancel_all",
                "",
                TargetOptions.details(query),
                () -> session.jobs().cancelAll(query));
        output.print(
                () -> CancellationDocument.write(done),
                () -> "cancelled " + done.cancelled() + ", told nodes to stop " + done.requested());
    }

    private void cancel(Session session, JobId id) {
        Jobs jobs = session.jobs();
        String done = session.audited("jobs.cancel", id.toString(), () -> switch (jobs.cancel(id)) {
            case CANCELLED -> "cancelled " + id;
            case REQUESTED -> "told the node of " + id + " to stop it";
            case COMPLETING -> throw CommandFailed.failed("too late: job " + id + " is committing its completion");
            case ALREADY_ENDED -> throw CommandFailed.failed("job " + id + " has ended already: " + status(jobs, id));
            case NOT_FOUND -> throw CommandFailed.failed("there is no job " + id);
            case UNKNOWN -> "asked for the end of " + id;
        });
        JobInfo job = jobs.find(id).orElseThrow(() -> CommandFailed.failed("there is no job " + id));
        output.print(() -> JobDocument.inList(job), () -> done);
    }

    private static String status(Jobs jobs, JobId id) {
        return jobs.find(id).map(job -> job.status().text()).orElse("gone");
    }
}
