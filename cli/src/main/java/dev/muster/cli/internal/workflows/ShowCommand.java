package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.document.internal.RunDocument;
import dev.muster.internal.workflow.WaitingReason;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one run. */
@Command(name = "show", description = "Show a run: its steps in the order in which they were stored, and why it waits.")
final class ShowCommand implements Callable<Integer> {
    @Parameters(paramLabel = "ID", converter = Values.OfJobId.class, description = "The run's id.")
    private JobId id;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        try (Session session = Session.toRead(settings)) {
            Workflows workflows = session.cluster().workflows();
            RunInfo run = OneRun.require(workflows, id);
            List<StepInfo> steps = workflows.steps(id);
            Optional<String> reason = WaitingReason.of(workflows, session.jobs(), Instant::now, run, steps);
            output.print(() -> RunDocument.write(run, reason, steps), () -> RunText.details(run, reason, steps));
        }
        return ExitCode.DONE;
    }
}
