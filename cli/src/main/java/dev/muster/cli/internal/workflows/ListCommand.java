package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.cli.internal.jobs.Values;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.document.internal.RunDocument;
import dev.muster.internal.runtime.Names;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.Workflows;
import dev.muster.workflow.Workflows.RunQuery;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Lists runs. */
@Command(name = "list", description = "List runs of workflows, the newest first.")
final class ListCommand implements Callable<Integer> {
    private static final int MAX_LIMIT = 10_000;

    @Option(names = "--name", paramLabel = "NAME", description = "Only runs of this workflow.")
    private @Nullable String name;

    @Option(names = "--version", paramLabel = "V", description = "Only runs of this version.")
    private @Nullable String version;

    @Option(
            names = "--status",
            paramLabel = "S",
            split = ",",
            converter = OfRunStatus.class,
            description = {
                "Only runs with these statuses: pending, running, sleeping, waiting, compensating,",
                "blocked_missing_handler, blocked_missing_version, blocked_signature_mismatch, completed,",
                "compensated, failed, retired_unresumable, cancelled_by_operator."
            })
    private List<RunStatus> statuses = List.of();

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "At most N runs. Default: 20.")
    private int limit;

    @Option(
            names = "--before",
            paramLabel = "ID",
            converter = Values.OfJobId.class,
            description = "Only runs older than this one, which is the last one on the previous page.")
    private @Nullable JobId before;

    @Mixin
    private HelpOption help;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        RunQuery query = query();
        try (Session session = Session.toRead(settings)) {
            Workflows workflows = session.cluster().workflows();
            List<RunInfo> runs = workflows.list(query);
            output.print(() -> JsonObjectWriter.list(runs, RunDocument::write), () -> RunText.table(runs));
            if (runs.isEmpty() && name != null) {
                output.hint(() -> KnownWorkflows.of(workflows).hintAbout(name));
            }
            if (runs.size() == limit && !output.json()) {
                output.say("next page: --before " + runs.get(limit - 1).id());
            }
        }
        return ExitCode.DONE;
    }

    private RunQuery query() {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw CommandFailed.badInput("--limit must be 1 to " + MAX_LIMIT + ", not " + limit);
        }
        RunQuery query = RunQuery.all().statuses(statuses).limit(limit);
        query = name == null ? query : query.workflow(Names.require("workflow name", name));
        query = version == null ? query : query.version(Names.requireVersion("workflow version", version));
        return before == null ? query : query.before(before);
    }

    /** Parses the status of a run. */
    static final class OfRunStatus implements ITypeConverter<RunStatus> {
        @Override
        public RunStatus convert(String text) {
            return RunStatus.find(text.toLowerCase(Locale.ROOT))
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is no status of a run; there are "
                            + RunStatus.known().stream().map(RunStatus::text).collect(Collectors.joining(", "))));
        }
    }
}
