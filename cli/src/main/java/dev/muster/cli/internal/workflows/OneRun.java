package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.document.internal.RunDocument;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.Workflows;
import java.util.Map;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The run that a command changes. */
final class OneRun {
    @Parameters(index = "0", paramLabel = "ID", converter = Values.OfJobId.class, description = "The run's id.")
    private JobId id;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    JobId id() {
        return id;
    }

    OutputOption output() {
        return output;
    }

    static RunInfo require(Workflows workflows, JobId id) {
        return workflows.find(id).orElseThrow(() -> CommandFailed.failed("there is no run " + id));
    }

    /**
     * Changes the run and prints it.
     *
     * @param action as the audit calls it
     * @param details for the audit
     * @param change returns what to say; the run is the one before the change
     */
    void change(String action, Map<String, ?> details, BiFunction<Workflows, RunInfo, String> change) {
        try (Session session = Session.open(settings)) {
            Workflows workflows = session.cluster().workflows();
            RunInfo before = require(workflows, id);
            String done = session.audited(action, id.toString(), details, () -> change.apply(workflows, before));
            output.print(() -> RunDocument.write(require(workflows, id)), () -> done);
        }
    }
}
