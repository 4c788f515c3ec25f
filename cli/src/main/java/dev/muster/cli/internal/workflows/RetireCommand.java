package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Question;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.internal.runtime.Names;
import dev.muster.internal.runtime.Plural;
import dev.muster.workflow.Workflows;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Gives up all live runs of a version. */
@Command(
        name = "retire",
        description = "Give up all runs of a version that have not ended, because no code can resume them.",
        footer = {
            "",
            "The runs get the status retired_unresumable and run no compensations. The command shows how many there are and",
            "asks first, unless --yes is given. If standard input or standard error is not a terminal, it needs --yes."
        })
final class RetireCommand implements Callable<Integer> {
    private static final int MOST_COUNTED = 10_000;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "NAME", description = "The workflow's name.")
    private String name;

    @Parameters(index = "1", paramLabel = "VERSION", description = "The version whose runs are given up.")
    private String version;

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            defaultValue = "retired on the command line",
            description = "Why, for those who look at the runs later.")
    private String reason;

    @Option(names = "--yes", description = "Do not ask.")
    private boolean yes;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        Names.require("workflow name", name);
        Names.requireVersion("workflow version", version);
        try (Session session = Session.open(settings)) {
            Workflows workflows = session.cluster().workflows();
            int found = workflows.countLive(name, version);
            if (found == 0) {
                KnownWorkflows.of(workflows).require(name, version);
            } else if (!yes) {
                ask(found, new Question(spec.commandLine().getErr()));
            }
            int retired = found == 0
                    ? 0
                    : session.audited(
                            "workflows.retire",
                            name + "/" + version,
                            Map.of("reason", reason),
                            () -> workflows.retire(name, version, reason));
            output.print(() -> new JsonObjectWriter().put("retired", retired).done(), () -> "retired: " + retired);
        }
        return ExitCode.DONE;
    }

    private void ask(int found, Question question) {
        String what = "this gives up "
                + (found <= MOST_COUNTED ? Plural.of(found, "run") : "more than " + MOST_COUNTED + " runs") + " of "
                + name + " " + version + ", without compensations";
        if (!question.canBeAsked()) {
            throw CommandFailed.badInput(what + ". Add --yes if you mean it");
        }
        if (!question.ask(what + ". Go on?")) {
            throw CommandFailed.failed("nothing was retired");
        }
    }
}
