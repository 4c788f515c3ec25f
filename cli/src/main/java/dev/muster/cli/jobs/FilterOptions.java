package dev.muster.cli.jobs;

import dev.muster.cli.database.Session;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.runtime.Names;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which jobs are meant: what {@code list}, {@code cancel --all} and {@code retry --all} have in common. */
final class FilterOptions {
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

    @Option(
            names = "--tag",
            paramLabel = "T",
            split = ",",
            description = "Only jobs with this tag; repeated: with all of them.")
    private List<String> tags = List.of();

    @Option(
            names = "--metadata",
            paramLabel = "K=V",
            description = "Only jobs with this value; repeated: with all of them.")
    private Map<String, String> metadata = new LinkedHashMap<>();

    /** Whether every job is meant. */
    boolean isEmpty() {
        return statuses.isEmpty() && name == null && queue == null && tags.isEmpty() && metadata.isEmpty();
    }

    /** Sentences about names that were asked for and that nobody has heard of. */
    List<String> unknownNames(Session session) {
        return session.sentencesAboutUnknown(name, queue);
    }

    /** @throws Names.InvalidName if no job can have such a name, queue or tag */
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
        return query;
    }
}
