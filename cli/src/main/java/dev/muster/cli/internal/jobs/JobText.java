package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Bar;
import dev.muster.cli.internal.console.Table;
import dev.muster.document.internal.Json;
import dev.muster.internal.config.DurationText;
import dev.muster.job.HandlerInfo;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Jobs as text, in lines of at most about 100 columns. */
final class JobText {
    private static final int NAME_WIDTH = 20;
    private static final int NODE_WIDTH = 16;
    private static final int VALUE_WIDTH = 1_000;
    private static final Bar BAR = new Bar(20);

    private JobText() {}

    static String table(List<JobInfo> jobs) {
        if (jobs.isEmpty()) {
            return "no jobs";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("ID", "NAME", "STATUS", "TRY", "NODE", "WHEN");
        for (JobInfo job : jobs) {
            table.row(
                    job.id(),
                    Table.cut(job.name(), NAME_WIDTH),
                    job.status().text(),
                    job.attempt() + "/" + job.maxAttempts(),
                    job.node().map(JobText::shortNode).orElse("-"),
                    ages.of(lastChange(job)));
        }
        return table.toString();
    }

    /** Keeps the end of a long node id, which differs between nodes on the same host. */
    static String shortNode(String node) {
        return node.length() <= NODE_WIDTH ? node : "…" + node.substring(node.length() - NODE_WIDTH + 1);
    }

    private static Instant lastChange(JobInfo job) {
        Instant waiting = job.runAt().isAfter(job.createdAt()) ? job.runAt() : job.createdAt();
        return job.finishedAt().or(job::startedAt).orElse(waiting);
    }

    static String details(JobInfo job) {
        return details(job, "-");
    }

    /**
     * The timeout of a job that has none of its own.
     *
     * @param handler null if no live node has a handler for this job
     */
    static String timeoutOf(@Nullable HandlerInfo handler) {
        if (handler == null) {
            return "as its handler says, else worker.job_timeout of the node that runs it";
        }
        Duration timeout = handler.options().timeout();
        return timeout == null
                ? "worker.job_timeout of the node that runs it"
                : DurationText.format(timeout) + " (of its handler)";
    }

    /** @param unsetTimeout the timeout to show if the job has none of its own */
    static String details(JobInfo job, String unsetTimeout) {
        Ages ages = new Ages(Instant.now());
        StringBuilder text = new StringBuilder();
        line(text, "id", job.id().toString());
        line(text, "name", job.name());
        line(text, "status", status(job));
        line(text, "queue", job.queue());
        line(text, "capability", job.capability().orElse("-"));
        line(text, "priority", priority(job));
        line(text, "attempt", job.attempt() + " of " + job.maxAttempts());
        line(text, "crashes", String.valueOf(job.crashes()));
        line(text, "node", job.node().orElse("-"));
        line(text, "key", job.key().orElse("-"));
        job.batch().ifPresent(batch -> line(text, "batch", batch.toString()));
        line(text, "tags", job.tags().isEmpty() ? "-" : String.join(", ", job.tags()));
        line(text, "metadata", job.metadata().isEmpty() ? "-" : Json.write(job.metadata()));
        line(text, "progress", job.progress().map(JobText::progress).orElse("-"));
        line(text, "timeout", job.timeout().map(DurationText::format).orElse(unsetTimeout));
        dependencies(text, job.dependencies());
        line(text, "args", job.args());
        line(text, "result", job.result().orElse("-"));
        error(text, "error", job.error().orElse("-"));
        job.earlierError().ifPresent(error -> error(text, "failed once", error));
        line(text, "created", job.createdAt() + "  " + ages.of(job.createdAt()));
        line(text, "due", job.runAt() + "  " + ages.of(job.runAt()));
        line(text, "expires", job.expiresAt().map(t -> t + "  " + ages.of(t)).orElse("-"));
        line(text, "started", job.startedAt().map(t -> t + "  " + ages.of(t)).orElse("-"));
        line(text, "finished", job.finishedAt().map(t -> t + "  " + ages.of(t)).orElse("-"));
        return text.toString();
    }

    private static String priority(JobInfo job) {
        return name(job.priority())
                + job.liftedTo()
                        .map(to -> ", lifted to " + name(to) + " because it waited for long")
                        .orElse("");
    }

    private static String name(Priority priority) {
        return priority.name().toLowerCase(Locale.ROOT);
    }

    private static String status(JobInfo job) {
        String status = job.status().text();
        return job.waitingReason()
                .map(reason -> (job.status() == JobStatus.WAITING ? "" : status + ", ") + "waiting because " + reason)
                .orElse(status);
    }

    private static String progress(JobInfo.Progress progress) {
        return progress.percent() + "%"
                + progress.message().map(text -> " " + text).orElse("");
    }

    /** One line about a job that a command waits for; the least important part comes last, where it may be cut off. */
    static String live(JobInfo job, Duration waited) {
        String start = Ages.brief(waited) + "  " + job.name() + "  ";
        return start
                + Table.oneLine(job.progress()
                        .map(progress -> BAR.of(progress.percent(), 100) + " " + progress(progress))
                        .orElseGet(() -> job.id() + "  " + status(job)));
    }

    /** Each dependency on its own line, with its status. */
    private static void dependencies(StringBuilder text, List<Dependency> dependencies) {
        if (dependencies.isEmpty()) {
            line(text, "depends on", "-");
        }
        for (int i = 0; i < dependencies.size(); i++) {
            Dependency dependency = dependencies.get(i);
            line(
                    text,
                    i == 0 ? "depends on" : "",
                    dependency.id() + "  "
                            + dependency.status().map(JobStatus::text).orElse("gone from history")
                            + (dependency.anyOutcome() ? ", any outcome will do" : ""));
        }
    }

    /** The error message on the first line, the stack trace below it. */
    private static void error(StringBuilder text, String name, String error) {
        List<String> lines = error.lines().toList();
        line(text, name, lines.isEmpty() ? "-" : lines.get(0));
        for (int i = 1; i < lines.size(); i++) {
            line(text, "", lines.get(i).strip());
        }
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append("%-12s".formatted(name))
                .append(Table.cut(Table.oneLine(value), VALUE_WIDTH))
                .append('\n');
    }
}
