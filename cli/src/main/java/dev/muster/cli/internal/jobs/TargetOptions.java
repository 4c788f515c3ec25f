package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The jobs that a command acts on: one job, or all that match the filters. */
final class TargetOptions {
    @Parameters(arity = "0..1", paramLabel = "ID", converter = Values.OfJobId.class, description = "The job's id.")
    private @Nullable JobId id;

    @Option(names = "--all", description = "Instead of one job: all jobs that match the filters below.")
    private boolean all;

    @Option(names = "--yes", description = "With --all: do not ask, even if there is no filter.")
    private boolean yes;

    @Mixin
    private FilterOptions filter;

    /**
     * The id of the one job; empty for the jobs of {@link #query}.
     *
     * @param withoutFilter which jobs the command acts on if there is no filter
     * @param asks whether the command asks the user first
     */
    Optional<JobId> id(String withoutFilter, boolean asks) {
        if (id == null && !all) {
            throw CommandFailed.badInput("which job? Give its ID, or --all with filters such as --name");
        }
        if (id != null && all) {
            throw CommandFailed.badInput("an ID and --all exclude each other");
        }
        if (id != null && (yes || !filter.isEmpty())) {
            throw CommandFailed.badInput("filters and --yes go with --all, not with an ID");
        }
        if (all && !yes && !asks && filter.isEmpty()) {
            throw CommandFailed.badInput("--all without a filter means " + withoutFilter
                    + "; add a filter such as --name, or --yes if you mean it");
        }
        return Optional.ofNullable(id);
    }

    /** Whether the command may act without asking. */
    boolean yes() {
        return yes;
    }

    JobQuery query() {
        return filter.query();
    }

    /** Which jobs a query selects, for the audit. */
    static Map<String, Object> details(JobQuery query) {
        Map<String, Object> details = new LinkedHashMap<>();
        query.name().ifPresent(name -> details.put("name", name));
        query.queue().ifPresent(queue -> details.put("queue", queue));
        query.key().ifPresent(key -> details.put("key", key));
        query.batch().ifPresent(batch -> details.put("batch", batch.toString()));
        if (!query.statuses().isEmpty()) {
            details.put(
                    "status",
                    query.statuses().stream().map(JobStatus::text).sorted().toList());
        }
        if (!query.tags().isEmpty()) {
            details.put("tag", query.tags().stream().sorted().toList());
        }
        if (!query.metadata().isEmpty()) {
            details.put("metadata", query.metadata());
        }
        return details;
    }
}
