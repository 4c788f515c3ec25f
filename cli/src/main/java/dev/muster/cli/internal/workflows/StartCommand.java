package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.ArgsText;
import dev.muster.cli.internal.jobs.TimeoutOption;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.RunDocument;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunRequest;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Starts a run. */
@Command(
        name = "start",
        description = "Start a run of a workflow and print it.",
        footer = {
            "",
            "With --wait, the exit code is 0 if the run completed, else 1; standard error tells what it waits for.",
            "Ctrl-C ends the wait, not the run.",
            "Only a node that has the code knows whether the input fits. If it does not, the run is refused with",
            "--server and a node that has the code; otherwise it fails."
        })
final class StartCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The workflow's name.")
    private String name;

    @Option(
            names = "--args",
            paramLabel = "JSON",
            description = "The input as JSON; @FILE reads it from a file, - from standard input.")
    private @Nullable String args;

    @Option(
            names = "--version",
            paramLabel = "V",
            description = "The version. Default: the newest active one that a live node has.")
    private @Nullable String version;

    @Option(
            names = "--key",
            paramLabel = "K",
            description =
                    "If a run of this workflow has this key already, no other is started; with other args that is an"
                            + " error.")
    private @Nullable String key;

    @Option(
            names = "--delay",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "Starts after this long, such as 30s or 1h30m.")
    private @Nullable Duration delay;

    @Option(
            names = "--priority",
            paramLabel = "P",
            converter = Values.OfPriority.class,
            description = "critical, high, normal, low or background. Default: the workflow's.")
    private @Nullable Priority priority;

    @Option(names = "--wait", description = "Wait until the run has ended.")
    private boolean wait;

    @Mixin
    private TimeoutOption timeout;

    @Mixin
    private HelpOption help;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        RunRequest request = request();
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            Workflows workflows = session.cluster().workflows();
            KnownWorkflows.of(workflows).require(name);
            JobId id = workflows.start(request);
            boolean created = id.equals(request.id());
            if (!created) {
                output.say("muster: already there: run " + id + " holds key '" + key + "'; nothing was started");
            }
            return wait ? waitFor(session, id, created) : report(workflows, id, created);
        }
    }

    private RunRequest request() {
        timeout.check(wait);
        try {
            // With an id of its own, the command can tell a new run from one that already had the key.
            RunRequest request = RunRequest.of(name, args == null ? null : ArgsText.read(args))
                    .id(JobId.next());
            request = version == null ? request : request.version(version);
            request = key == null ? request : request.key(key);
            request = delay == null ? request : request.delay(delay);
            return priority == null ? request : request.priority(priority);
        } catch (CommandFailed | InvalidName e) {
            throw e;
        } catch (MusterException e) {
            throw CommandFailed.badInput(e.getMessage(), e);
        }
    }

    private int report(Workflows workflows, JobId id, boolean created) {
        RunInfo run = OneRun.require(workflows, id);
        output.print(
                () -> JsonObjectWriter.of(RunDocument.write(run))
                        .put("created", created)
                        .done(),
                () -> RunText.details(run, Optional.empty(), List.of()));
        return ExitCode.DONE;
    }

    private int waitFor(Session session, JobId id, boolean created) {
        RunInfo run = new Waiting(session, timeout.startWait()).untilEnded(id);
        List<StepInfo> steps = session.cluster().workflows().steps(id);
        output.print(
                () -> JsonObjectWriter.of(RunDocument.write(run))
                        .put("created", created)
                        .done(),
                () -> RunText.details(run, Optional.empty(), steps));
        if (!run.status().isTerminal()) {
            output.say("muster: gave up waiting; the run is " + run.status().text());
        }
        return run.status() == RunStatus.COMPLETED ? ExitCode.DONE : ExitCode.FAILED;
    }
}
