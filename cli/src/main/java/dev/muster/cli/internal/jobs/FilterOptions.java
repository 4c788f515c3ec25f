package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.database.Session;
import dev.muster.internal.runtime.Names;
import dev.muster.job.BatchId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.runtime.InvalidName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select jobs for {@code list}, {@code cancel --all} and {@code retry --all}. */
final class FilterOptions {
    @Option(
            names = "--status",
            paramLabel = "S",
            split = ",",
            converter = Values.OfStatus.class,
            description =
                    "Only jobs with these statuses: waiting, pending, claimed, running, completed, failed, cancelled,"
                            + " expired.")
    private List<JobStatus> statuses = List.of();

    @Option(names = "--name", paramLabel = "NAME", description = "Only jobs with this name.")
    private @Nullable String name;

    @Option(names = "--queue", paramLabel = "Q", description = "Only jobs in this queue.")
    private @Nullable String queue;

    @Option(
            names = "--tag",
            paramLabel = "T",
            split = ",",
            description = "Only jobs with this tag. If repeated, jobs must have all of the tags.")
    private List<String> tags = List.of();

    @Option(
            names = "--metadata",
            paramLabel = "K=V",
            description = "Only jobs with this value. If repeated, jobs must have all of the values.")
    private Map<String, String> metadata = new LinkedHashMap<>();

    @Option(names = "--key", paramLabel = "K", description = "Only jobs with this idempotency key.")
    private @Nullable String key;

    @Option(
            names = "--batch",
            paramLabel = "ID",
            converter = Values.OfBatchId.class,
            description = "Only jobs of this batch.")
    private @Nullable BatchId batch;

    /** Whether there is no filter, so that every job is selected. */
    boolean isEmpty() {
        return statuses.isEmpty()
                && name == null
                && queue == null
                && tags.isEmpty()
                && metadata.isEmpty()
                && key == null
                && batch == null;
    }

    /** Hints about given names that do not occur in the database. */
    List<String> unknownNames(Session session) {
        return session.sentencesAboutUnknown(name, queue);
    }

    /** @throws InvalidName if no job can have such a name, queue or tag */
    JobQuery query() {
        JobQuery query = JobQuery.all()
                .status(statuses.stream().distinct().toArray(JobStatus[]::new))
                .tags(tags.stream()
                        .map(tag -> Names.require("tag", tag))
                        .distinct()
                        .toArray(String[]::new));
        query = name == null ? query : query.name(Names.require("job name", name));
        query = queue == null ? query : query.queue(Names.require("queue", queue));
        for (Map.Entry<String, String> entry : metadata.entrySet()) {
            query = query.metadata(entry.getKey(), entry.getValue());
        }
        query = key == null ? query : query.key(key);
        return batch == null ? query : query.batch(batch);
    }
}
