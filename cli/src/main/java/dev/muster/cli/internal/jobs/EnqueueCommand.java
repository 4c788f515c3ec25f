package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JobDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.internal.config.Nearest;
import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Enqueues one job, or many equal ones. */
@Command(
        name = "enqueue",
        description = "Enqueue a job and print it.",
        footer = {
            "",
            "With --wait, the exit code is 0 if the job completed, else 1; standard error tells what it waits for.",
            "Ctrl-C ends the wait, not the job."
        })
final class EnqueueCommand implements Callable<Integer> {
    private static final int MAX_COUNT = 1_000_000;
    private static final int MAX_NAMES_SHOWN = 30;

    @Mixin
    private EnqueueOptions options;

    @Option(names = "--count", paramLabel = "N", description = "Enqueue N such jobs; with --key, keys are K-0, K-1, …")
    private @Nullable Integer count;

    @Option(names = "--wait", description = "Wait until the job has ended.")
    private boolean wait;

    @Mixin
    private TimeoutOption timeout;

    @Option(names = "--force", description = "Enqueue even if no live node has a handler for the job.")
    private boolean force;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() throws InterruptedException {
        List<JobRequest> requests = requests();
        try (Session session = Session.open(settings)) {
            session.prepareTables();
            if (!force) {
                requireHandler(session.admin().handlers().keySet());
            }
            List<Enqueued> enqueued = new JobChunks(session.jobs()).submit(requests);
            sayWhatWasThere(enqueued);
            List<JobId> ids = enqueued.stream().map(Enqueued::id).toList();
            return wait ? waitFor(session, ids) : report(session, enqueued, ids);
        }
    }

    private List<JobRequest> requests() {
        timeout.check(wait);
        JobRequest request = options.request();
        if (count == null) {
            return List.of(request);
        }
        if (count < 1 || count > MAX_COUNT) {
            throw CommandFailed.badInput("--count must be 1 to " + MAX_COUNT + ", not " + count);
        }
        String key = options.key();
        return IntStream.range(0, count)
                .mapToObj(i -> key == null ? request : request.key(key + "-" + i))
                .toList();
    }

    private void requireHandler(Set<String> known) {
        if (known.isEmpty() || known.contains(options.name())) {
            return;
        }
        List<String> names = List.copyOf(new TreeSet<>(known));
        String shown = String.join(", ", names.subList(0, Math.min(names.size(), MAX_NAMES_SHOWN)));
        String suggestion = Nearest.suggestion(options.name(), known);
        throw CommandFailed.badInput("no live node has a handler for job '" + options.name() + "'"
                + (suggestion.isEmpty() ? "; there are" : suggestion + " There are") + " handlers for " + shown
                + (names.size() > MAX_NAMES_SHOWN ? ", …" : "") + ". --force enqueues it all the same");
    }

    private void sayWhatWasThere(List<Enqueued> enqueued) {
        long there = enqueued.stream().filter(job -> !job.created()).count();
        if (there > 0 && count == null) {
            output.say("muster: already there: job " + enqueued.get(0).id() + " holds key '" + options.key()
                    + "'; nothing was enqueued");
        } else if (there > 0) {
            output.say("muster: already there: " + there + " of " + enqueued.size() + " jobs, by their keys");
        }
    }

    private int report(Session session, List<Enqueued> enqueued, List<JobId> ids) {
        if (count == null) {
            JobInfo job = new JobChunks(session.jobs()).find(ids).get(0);
            output.print(
                    () -> JsonObjectWriter.of(JobDocument.inList(job))
                            .put("created", enqueued.get(0).created())
                            .done(),
                    () -> JobText.details(job));
        } else {
            output.print(
                    () -> JobDocument.inList(new JobChunks(session.jobs()).find(ids)),
                    () -> "enqueued " + ids.size() + " × " + options.name() + ", " + ids.get(0) + " to "
                            + ids.get(ids.size() - 1));
        }
        return ExitCode.DONE;
    }

    private int waitFor(Session session, List<JobId> ids) throws InterruptedException {
        List<JobInfo> jobs = new Waiting(session.jobs(), timeout.startWait()).untilEnded(ids);
        if (count == null) {
            output.print(() -> JobDocument.inList(jobs.get(0)), () -> JobText.details(jobs.get(0)));
        } else {
            output.print(() -> JobDocument.inList(jobs), () -> Waiting.summary(jobs));
        }
        long unfinished =
                jobs.stream().filter(job -> !job.status().isTerminal()).count();
        if (unfinished > 0) {
            output.say("muster: gave up waiting; not ended yet: " + unfinished + " of " + jobs.size());
        }
        boolean completed = jobs.stream().allMatch(job -> job.status() == JobStatus.COMPLETED);
        return completed ? ExitCode.DONE : ExitCode.FAILED;
    }
}
