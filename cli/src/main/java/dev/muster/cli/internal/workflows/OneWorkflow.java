package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.internal.runtime.Names;
import dev.muster.workflow.Workflows;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The workflow that a command pauses or resumes. */
final class OneWorkflow {
    @Parameters(paramLabel = "NAME", description = "The workflow's name.")
    private String name;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    /** Pauses or resumes all versions of the workflow. */
    void steer(boolean pause) {
        Names.require("workflow name", name);
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            Workflows workflows = session.cluster().workflows();
            KnownWorkflows.of(workflows).require(name);
            session.audited(pause ? "workflows.pause" : "workflows.resume", name, () -> {
                if (pause) {
                    workflows.pause(name);
                } else {
                    workflows.resume(name);
                }
                return true;
            });
            output.print(
                    () -> new JsonObjectWriter()
                            .put("workflow_name", name)
                            .put("paused", pause)
                            .done(),
                    () -> (pause ? "paused workflow " : "resumed workflow ") + name);
        }
    }
}
