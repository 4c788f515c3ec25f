package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JobDocument;
import dev.muster.job.JobId;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists jobs. */
@Command(name = "list", description = "List jobs, the newest first.")
final class ListCommand implements Callable<Integer> {
    private static final int MAX_LIMIT = 10_000;

    @Mixin
    private FilterOptions filter;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "20", description = "At most N jobs. Default: 20.")
    private int limit;

    @Option(
            names = "--before",
            paramLabel = "ID",
            converter = Values.OfJobId.class,
            description = "Only jobs older than this one, which is the last one on the previous page.")
    private @Nullable JobId before;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        JobQuery query = query();
        try (Session session = Session.toRead(settings)) {
            JobPage page = session.jobs().search(query);
            output.print(() -> JobDocument.inList(page.jobs()), () -> JobText.table(page.jobs()));
            if (page.jobs().isEmpty()) {
                output.hint(() -> filter.unknownNames(session));
            }
            page.next().ifPresent(next -> sayHowToGoOn(page, next));
        }
        return ExitCode.DONE;
    }

    /** Printed on standard error, with JSON only if the page has fewer jobs than asked for: nobody should take it for the whole result. */
    private void sayHowToGoOn(JobPage page, JobId next) {
        if (page.searchedBackTo().isPresent()) {
            Instant reached = page.searchedBackTo().get().truncatedTo(ChronoUnit.SECONDS);
            output.say("searched back to " + reached + "; continue with --before " + next);
        } else if (!output.json() || page.jobs().size() < limit) {
            output.say("next page: --before " + next);
        }
    }

    private JobQuery query() {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw CommandFailed.badInput("--limit must be 1 to " + MAX_LIMIT + ", not " + limit);
        }
        JobQuery query = filter.query().limit(limit);
        return before == null ? query : query.before(before);
    }
}
