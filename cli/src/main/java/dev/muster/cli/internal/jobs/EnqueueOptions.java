package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that describe the job to enqueue. */
final class EnqueueOptions {
    @Parameters(index = "0", paramLabel = "NAME", description = "The job's name.")
    private String name;

    @Option(
            names = "--args",
            paramLabel = "JSON",
            description = "Arguments as JSON; @FILE reads them from a file, - from standard input.")
    private @Nullable String args;

    @Option(
            names = "--delay",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "Due after this long, such as 30s or 1h30m.")
    private @Nullable Duration delay;

    @Option(names = "--at", paramLabel = "T", description = "Due at this time, such as 2030-01-31T08:00:00Z.")
    private @Nullable String at;

    @Option(
            names = "--key",
            paramLabel = "K",
            description = "Idempotency key: if a job has this key already, no other is enqueued.")
    private @Nullable String key;

    @Option(names = "--tag", paramLabel = "T", split = ",", description = "A tag to find the job by; may be repeated.")
    private List<String> tags = List.of();

    @Option(names = "--metadata", paramLabel = "K=V", description = "A value stored with the job; may be repeated.")
    private Map<String, String> metadata = new LinkedHashMap<>();

    @Option(
            names = "--expires",
            paramLabel = "D",
            converter = Values.OfDuration.class,
            description = "The job expires if no node has claimed it within this long.")
    private @Nullable Duration expires;

    @Option(
            names = "--depends-on",
            paramLabel = "ID",
            split = ",",
            converter = Values.OfJobId.class,
            description = "Do not run it before this job has completed; may be repeated.")
    private List<JobId> dependsOn = List.of();

    @Option(
            names = "--depends-on-any-outcome",
            paramLabel = "ID",
            split = ",",
            converter = Values.OfJobId.class,
            description = "Do not run it before this job has ended with any outcome; may be repeated.")
    private List<JobId> dependsOnAnyOutcome = List.of();

    @Option(
            names = "--batch",
            paramLabel = "ID",
            converter = Values.OfBatchId.class,
            description = "Add the job to this batch.")
    private @Nullable BatchId batch;

    @Option(
            names = "--concurrency-key",
            paramLabel = "K",
            description = "The key whose jobs the handler limits; without a limit, they run one at a time.")
    private @Nullable String concurrencyKey;

    @Option(
            names = "--fair-key",
            paramLabel = "K",
            description = "Jobs with different keys, such as tenants, take turns.")
    private @Nullable String fairKey;

    @Option(names = "--fifo", paramLabel = "K", description = "Jobs with this key run one after the other, in order.")
    private @Nullable String fifo;

    @Mixin
    private RunOptions run = new RunOptions();

    String name() {
        return name;
    }

    @Nullable
    String key() {
        return key;
    }

    /** The request that the options describe. */
    JobRequest request() {
        if (delay != null && at != null) {
            throw CommandFailed.badInput("--delay and --at exclude each other");
        }
        JobRequest request =
                JobRequest.of(name, args == null ? null : ArgsText.read(args)).options(run.given());
        request = delay == null ? request : request.delay(delay);
        request = at == null ? request : request.at(Values.instant("--at", at));
        request = key == null ? request : request.key(key);
        request = expires == null ? request : request.expiresIn(expires);
        request = batch == null ? request : request.batch(batch);
        request = concurrencyKey == null ? request : request.concurrencyKey(concurrencyKey);
        request = fairKey == null ? request : request.fairKey(fairKey);
        request = fifo == null ? request : request.fifo(fifo);
        return labelled(request)
                .dependsOn(dependsOn.toArray(JobId[]::new))
                .dependsOnAnyOutcome(dependsOnAnyOutcome.toArray(JobId[]::new));
    }

    private JobRequest labelled(JobRequest plain) {
        JobRequest request = plain.tags(tags.toArray(String[]::new));
        for (Map.Entry<String, String> entry : metadata.entrySet()) {
            request = request.metadata(entry.getKey(), entry.getValue());
        }
        return request;
    }
}
