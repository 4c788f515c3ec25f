package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Question;
import dev.muster.cli.internal.database.Session;
import dev.muster.document.internal.JobDocument;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.internal.runtime.Plural;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.Jobs;
import dev.muster.job.RetryableJobs;
import dev.muster.runtime.MusterException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Retries one ended job or many. */
@Command(
        name = "retry",
        description =
                "Run a failed, cancelled or expired job again, or many with --all. Attempts count from zero again.",
        footer = {
            "",
            "--all retries failed jobs, and others only if --status names them. It shows how many and asks first, unless",
            "--yes is given. If standard input or standard error is not a terminal, it needs --yes or --status.",
            "A job that depends on others waits for them again. It cannot be retried while one of them has failed, was",
            "cancelled or has expired: retry that one with --with-dependents."
        })
final class RetryCommand implements Callable<Integer> {
    private static final int MOST_SHOWN = 20;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions target;

    @Option(
            names = "--with-dependents",
            description = "With an ID: also retry the jobs that were cancelled because this one had not completed.")
    private boolean withDependents;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        Question question = new Question(spec.commandLine().getErr());
        Optional<JobId> id = target.id("every failed job", question.canBeAsked());
        JobQuery query = target.query();
        if (id.isEmpty()) {
            checkAll(query);
        }
        try (Session session = Session.open(settings)) {
            id.ifPresentOrElse(one -> retry(session, one), () -> retryAll(session, query, question));
        }
        return ExitCode.DONE;
    }

    private int retry(Jobs jobs, JobId id) {
        int retried = withDependents ? jobs.retryWithDependents(id) : jobs.retry(id) ? 1 : 0;
        if (retried == 0) {
            throw CommandFailed.failed("job " + id + " is "
                    + require(jobs, id).status().text()
                    + "; only a failed, cancelled or expired one can be retried"
                    + (withDependents ? ", and no job was cancelled because of it" : ""));
        }
        return retried;
    }

    private static JobInfo require(Jobs jobs, JobId id) {
        return jobs.find(id).orElseThrow(() -> CommandFailed.failed("there is no job " + id));
    }

    private void checkAll(JobQuery query) {
        if (withDependents) {
            throw CommandFailed.badInput("--with-dependents goes with an ID, not with --all");
        }
        try {
            RetryableJobs.only(query);
        } catch (MusterException e) {
            throw CommandFailed.badInput(e.getMessage(), e);
        }
    }

    private void retryAll(Session session, JobQuery query, Question question) {
        Jobs jobs = session.jobs();
        boolean statusNamed = !query.statuses().isEmpty();
        boolean asks = !target.yes() && (question.canBeAsked() || !statusNamed);
        List<RetryableJobs> found = asks ? jobs.retryable(query) : countIfPossible(jobs, query);
        long all = found.stream().mapToLong(RetryableJobs::jobs).sum();
        if (asks && all > 0) {
            ask(found, all, question);
        }
        int retried = asks && all == 0
                ? 0
                : session.audited("jobs.retry_all", "", TargetOptions.details(query), () -> jobs.retryAll(query));
        output.print(
                () -> new JsonObjectWriter().put("retried", retried).done(), () -> "back in the queue: " + retried);
        if (retried < all) {
            output.say("muster: not retried: " + (all - retried)
                    + ", which depend on jobs that have not completed, or were retried by someone else meanwhile");
        }
    }

    /** If the user is not asked, the count is only for the final message, so --yes does not wait for it. */
    private List<RetryableJobs> countIfPossible(Jobs jobs, JobQuery query) {
        if (target.yes()) {
            return List.of();
        }
        try {
            return jobs.retryable(query);
        } catch (MusterException e) {
            return List.of();
        }
    }

    private void ask(List<RetryableJobs> found, long all, Question question) {
        String what = "this retries " + (all < RetryableJobs.MOST ? "" : "at least ") + Plural.of(all, "job") + ": "
                + found.stream()
                        .limit(MOST_SHOWN)
                        .map(some -> some.jobs() + " " + some.status().text() + " of " + some.name())
                        .collect(Collectors.joining(", "))
                + (found.size() > MOST_SHOWN ? ", …" : "");
        if (!question.canBeAsked()) {
            throw CommandFailed.badInput(what + ". Add --yes if you mean it, or name the --status");
        }
        if (!question.ask(what + ". Go on?")) {
            throw CommandFailed.failed("nothing was retried");
        }
    }

    private void retry(Session session, JobId id) {
        Jobs jobs = session.jobs();
        int retried = session.audited(
                "jobs.retry", id.toString(), Map.of("with_dependents", withDependents), () -> retry(jobs, id));
        JobInfo job = require(jobs, id);
        output.print(
                () -> withDependents
                        ? JsonObjectWriter.of(JobDocument.inList(job))
                                .put("retried", retried)
                                .done()
                        : JobDocument.inList(job),
                () -> withDependents
                        ? "back in the queue: " + retried + ", with those that depend on " + id
                        : "back in the queue: " + id);
    }
}
