package dev.muster.cli.jobs;

import dev.muster.cli.config.SettingsOptions;
import dev.muster.cli.console.CommandFailed;
import dev.muster.cli.console.ExitCode;
import dev.muster.cli.console.OutputOption;
import dev.muster.cli.database.Session;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.runtime.Names;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists jobs. */
@Command(name = "list", description = "List jobs, the newest first.")
final class ListCommand implements Callable<Integer> {
    private static final int MAX_LIMIT = 10_000;

    @Option(
            names = "--status",
            paramLabel = "S",
            split = ",",
            converter = Values.OfStatus.class,
            description = "Only these: waiting, pending, claimed, running, completed, failed, cancelled, expired.")
    private List<JobStatus> statuses = List.of();

    @Option(names = "--name", paramLabel = "NAME", description = "Only jobs of this name.")
    private @Nullable String name;

    @Option(names = "--queue", paramLabel = "Q", description = "Only jobs of this queue.")
    private @Nullable String queue;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "At most N; 20 unless given.")
    private int limit;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        JobQuery query = query();
        try (Session session = Session.open(settings.load())) {
            List<JobInfo> jobs = session.jobs().list(query);
            output.print(() -> JobJson.of(jobs), () -> JobText.table(jobs));
        }
        return ExitCode.DONE;
    }

    private JobQuery query() {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw CommandFailed.badInput("--limit must be 1 to " + MAX_LIMIT + ", not " + limit);
        }
        EnumSet<JobStatus> wanted = EnumSet.noneOf(JobStatus.class);
        wanted.addAll(statuses);
        return new JobQuery(
                wanted,
                Optional.ofNullable(name).map(n -> Names.require("job name", n)),
                Optional.ofNullable(queue).map(q -> Names.require("queue", q)),
                limit);
    }
}
